/**
 * A server as a program of ours, spoken to over its stdin and stdout.
 * Invariants: the program leads a process group of its own, and nothing of that group is left once `close` is done
 * or the program has ended by itself; this process takes its servers along when it ends, even by SIGKILL.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import {
  type JSONRPCMessage,
  ReadBuffer,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { type GroupWatcher, startGroupWatcher } from '../tools/group-watcher.ts';
import { stopGroup } from '../tools/process-group.ts';

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

/** A message that is longer ends the connection. */
const MAX_MESSAGE_BYTES = 8 * 1024 * 1024;
/** For a program to end by itself once its stdin is closed, in ms. */
const FAREWELL_MS = 500;
/** For the rest of the output once the program has ended, in ms. */
const DRAIN_MS = 500;

export class StdioTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: Transport['onmessage'];
  readonly #program: Program;
  readonly #stderr: (chunk: Buffer) => void;
  readonly #buffer = new ReadBuffer({ maxBufferSize: MAX_MESSAGE_BYTES });
  #child: ChildProcess | null = null;
  #ended: Promise<void> = Promise.resolve();

  constructor(program: Program, stderr: (chunk: Buffer) => void) {
    this.#program = program;
    this.#stderr = stderr;
  }

  async start(): Promise<void> {
    const { args, command, cwd, env } = this.#program;
    const watcher = startGroupWatcher();
    const child = spawn(command, [...args], { cwd, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    child.stderr.on('data', this.#stderr);
    for (const stream of [child.stdin, child.stdout, child.stderr])
      stream.on('error', (error: Error) => this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) => {
        watcher.release();
        reject(error);
      });
    });
    child.on('error', (error) => this.onerror?.(error));
    if (child.pid !== undefined) watcher.watch(child.pid);
    this.#ended = this.#watch(child, watcher);
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin ?? null;
    return new Promise((resolve, reject) => {
      const fail = (): void => reject(new SdkError(SdkErrorCode.NotConnected, 'The program has ended.'));
      if (stdin === null || !stdin.writable) fail();
      else stdin.write(serializeMessage(message), (error) => (error ? fail() : resolve()));
    });
  }

  async close(): Promise<void> {
    const child = this.#child;
    if (child === null) return;
    child.stdin?.end();
    const timer = setTimeout(() => void stopGroup(child), FAREWELL_MS);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Resolves when the program and its group are gone. */
  async #watch(child: ChildProcess, watcher: GroupWatcher): Promise<void> {
    await new Promise<void>((resolve) => {
      child.once('exit', () => resolve());
    });
    await stopGroup(child);
    watcher.release();
    await drained(child);
    child.stdout?.destroy();
    child.stderr?.destroy();
    this.#child = null;
    this.onclose?.();
  }

  #read(chunk: Buffer): void {
    try {
      this.#buffer.append(chunk);
    } catch (error) {
      this.#fail(error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.#buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.#fail(error);
      }
    }
  }

  #fail(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}

/** A process that left the group may hold the pipes open. */
async function drained(child: ChildProcess): Promise<void> {
  if (child.stdout?.readableEnded !== false) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, DRAIN_MS);
    child.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
