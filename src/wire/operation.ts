/** `operation.lookup` (PROTOCOL.md, "Operations and lookup"). */
import * as z from 'zod';
import { id, json, wireError } from './fields.ts';

export const lookupRequest = z.strictObject({ target_instance_id: id, operation_id: id });

export const lookupResult = z.object({
  target_instance_id: id,
  operation_id: id,
  state: z.enum(['unknown', 'in_progress', 'accepted', 'terminal', 'rejected', 'expired']),
  method: z.string().nullable(),
  session_id: z.string().nullable(),
  result: z.record(z.string(), json).nullable(),
  error: wireError.nullable(),
});
export type LookupResult = z.infer<typeof lookupResult>;
