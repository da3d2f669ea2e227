/** A server with tools that do what tests need, made with the SDK. */
import { spawn } from 'node:child_process';
import { McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });

export function fixtureServer(): McpServer {
  const server = new McpServer({ name: 'fixture', version: '1.0.0' });
  server.registerTool(
    'echo',
    {
      description: 'Gives back what it gets.',
      inputSchema: z.object({ text: z.string(), times: z.int().optional() }),
    },
    async (args) => text(JSON.stringify(args)),
  );
  server.registerTool('fail', { inputSchema: z.object({}) }, async () => ({
    ...text('the disk is full'),
    isError: true,
  }));
  server.registerTool('throw', { inputSchema: z.object({}) }, async () => {
    throw new Error('something broke');
  });
  server.registerTool('never', { inputSchema: z.object({}) }, () => {
    process.stderr.write('waiting\n');
    return new Promise<never>(() => undefined);
  });
  server.registerTool('crash', { inputSchema: z.object({}) }, () => process.exit(3));
  server.registerTool('huge', { inputSchema: z.object({}) }, async () =>
    text(`begin${'x'.repeat(3 * 1024 * 1024)}end`),
  );
  server.registerTool('too-huge', { inputSchema: z.object({}) }, async () =>
    text('x'.repeat(20 * 1024 * 1024)),
  );
  server.registerTool('pictures', { inputSchema: z.object({}) }, async () => ({
    content: [
      { type: 'text' as const, text: 'see:' },
      { type: 'image' as const, mimeType: 'image/png', data: Buffer.from('1234').toString('base64') },
      { type: 'resource_link' as const, uri: 'file:///a.txt', name: 'a\nlink' },
      { type: 'resource' as const, resource: { uri: 'file:///b.txt', text: 'the text of b' } },
    ],
  }));
  server.registerTool('environment', { inputSchema: z.object({}) }, async () =>
    text(JSON.stringify({ ...process.env, CWD: process.cwd() })),
  );
  server.registerTool('child', { inputSchema: z.object({}) }, async () => {
    const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
    return text(JSON.stringify({ server: process.pid, child: child.pid }));
  });
  server.registerTool('grow', { inputSchema: z.object({}) }, async () => {
    server.registerTool('late', { inputSchema: z.object({}) }, async () => text('better than never'));
    return text('grown');
  });
  for (const name of ['twin.a', 'twin_a'])
    server.registerTool(name, { inputSchema: z.object({}) }, async () => text(name));
  return server;
}
