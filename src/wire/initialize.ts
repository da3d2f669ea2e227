/** `initialize`, `capabilities` and `status` (PROTOCOL.md, "Initialize"). */
import * as z from 'zod';
import { count, id, limitMap, name } from './fields.ts';
import { LIMITS } from './limits.ts';
import { sessionProtocol } from './session-protocol.ts';

const names = z.array(name).max(LIMITS.max_array_items);

export const initializeRequest = z.strictObject({
  supported_protocol_versions: z.array(z.int().min(0).max(65_535)),
  requested_capabilities: z.array(z.string()).default([]),
});

export const activityFlags = z.object({
  events: z.boolean(),
  approvals: z.boolean(),
  steering: z.boolean(),
  mcp_server_lifecycle: z.boolean(),
  mcp_tool_activity: z.boolean(),
  subagents: z.boolean(),
  raw_tool_output: z.boolean(),
  activity_replay: z.boolean(),
  max_summary_bytes: z.int().positive(),
});

export const capabilities = z.object({
  protocol_versions: z.array(z.int()).max(LIMITS.max_array_items),
  transports: names,
  operations: names,
  events: names,
  limits: limitMap,
  activity: activityFlags,
  /** Profiles that were asked for and granted. */
  negotiated_capabilities: names.optional(),
  /** There exactly when `session_protocol_v2` was granted. */
  session_protocol: sessionProtocol.optional(),
});
export type Capabilities = z.infer<typeof capabilities>;

export const initializeResult = z.object({
  protocol_version: z.literal(2),
  server_name: z.string(),
  server_version: z.string(),
  instance_id: id,
  connection_id: id,
  workspace_id: z.string(),
  state_root_id: z.string(),
  limits: limitMap,
  capabilities,
});
export type InitializeResult = z.infer<typeof initializeResult>;

export const statusResult = z.object({
  service: z.literal('ready'),
  provider_auth_ready: z.boolean(),
  instance_id: id,
  workspace_id: z.string(),
  state_root_id: z.string(),
  connected_clients: count,
  admitted_operations: count,
});
