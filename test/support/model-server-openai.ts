import { contentText, recordOf, recordsOf, type StreamEncoder, sse, tokensOf } from './model-server-steps.ts';

/** Chat completions, streamed. */
export function openAiEncoder(model: string, inputChars: number): StreamEncoder {
  let outputChars = 0;
  let calls = 0;
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): string =>
    sse(null, {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 0,
      model,
      choices: [{ index: 0, delta, finish_reason: finish }],
    });
  return {
    start: () => chunk({ role: 'assistant', content: '' }),
    text(delta) {
      outputChars += delta.length;
      return chunk({ content: delta });
    },
    thinking(delta) {
      outputChars += delta.length;
      return chunk({ reasoning_content: delta });
    },
    toolCall(name, args) {
      const index = calls;
      calls += 1;
      const json = JSON.stringify(args);
      outputChars += json.length;
      const half = Math.ceil(json.length / 2);
      const first = { index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } };
      return [
        chunk({ tool_calls: [first] }),
        chunk({ tool_calls: [{ index, function: { arguments: json.slice(0, half) } }] }),
        chunk({ tool_calls: [{ index, function: { arguments: json.slice(half) } }] }),
      ].join('');
    },
    finish() {
      const usage = {
        prompt_tokens: tokensOf(inputChars),
        completion_tokens: tokensOf(outputChars),
        total_tokens: tokensOf(inputChars) + tokensOf(outputChars),
      };
      const last = sse(null, {
        id: 'chatcmpl-1',
        object: 'chat.completion.chunk',
        created: 0,
        model,
        choices: [],
        usage,
      });
      return `${chunk({}, calls > 0 ? 'tool_calls' : 'stop')}${last}data: [DONE]\n\n`;
    },
  };
}

/** The conversation in a chat completions body. */
export function openAiMessages(body: Record<string, unknown>): { role: string; text: string }[] {
  return recordsOf(body.messages).map((message) => {
    const calls = recordsOf(message.tool_calls).map((call) => {
      const { name, arguments: args } = recordOf(call.function);
      return `${String(name)} ${String(args)}`;
    });
    return { role: String(message.role), text: [contentText(message.content), ...calls].join('') };
  });
}
