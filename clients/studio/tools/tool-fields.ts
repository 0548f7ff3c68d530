/** What a tool consists of, as its form holds it. */
import type { CreateToolBody, Tool } from '../../sdk/index.ts';

export const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

export interface ToolHeader {
  readonly name: string;
  readonly value: string;
}

export interface ToolFields {
  readonly name: string;
  readonly description: string;
  readonly url: string;
  readonly method: Tool['method'];
  readonly requiresApproval: boolean;
  readonly headers: readonly ToolHeader[];
  /** JSON Schema, as text. */
  readonly inputSchema: string;
  /** Milliseconds. */
  readonly timeoutMs: number;
  readonly retryMaxAttempts: number;
}

export const emptyTool: ToolFields = {
  name: '',
  description: '',
  url: '',
  method: 'POST',
  requiresApproval: false,
  headers: [],
  inputSchema: JSON.stringify({ type: 'object', properties: {} }, null, 2),
  timeoutMs: 10_000,
  retryMaxAttempts: 1,
};

export function toToolFields(tool: Tool): ToolFields {
  const { name, description, url, method, requiresApproval, headers, inputSchema } = tool;
  const { timeoutMs, retryMaxAttempts } = tool;
  return {
    name,
    description: description ?? '',
    url: url ?? '',
    method,
    requiresApproval: requiresApproval ?? false,
    headers: Object.entries(headers).map(([header, value]) => ({ name: header, value: String(value) })),
    inputSchema: inputSchema == null ? '' : JSON.stringify(inputSchema, null, 2),
    timeoutMs,
    retryMaxAttempts,
  };
}

/** @throws {SyntaxError} the schema is no JSON */
export function toToolBody(fields: ToolFields): CreateToolBody {
  const { description, headers, inputSchema, name, url, ...rest } = fields;
  const named = headers.filter(header => header.name.trim() !== '');
  return {
    ...rest,
    name: name.trim(),
    headers: Object.fromEntries(named.map(({ name: header, value }) => [header.trim(), value])),
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    inputSchema: inputSchema.trim() === '' ? null : (JSON.parse(inputSchema) as Record<string, unknown>),
  };
}
