/** The two lines before any record (PROTOCOL.md, "Handshake"). */
import * as z from 'zod';

export const hello = z.strictObject({
  version: z.string(),
  workspace: z.string(),
  state_root: z.string(),
  action: z.string(),
});
export type Hello = z.infer<typeof hello>;

export const helloReply = z.object({
  version: z.string(),
  workspace: z.string(),
  state_root: z.string(),
  status: z.enum(['ready', 'incompatible', 'stopped', 'busy']),
});
export type HelloReply = z.infer<typeof helloReply>;
