/** Tools: HTTP endpoints that a model may call. */
import Type from 'typebox';
import type { Operation } from '../operation.ts';
import {
  CreatedTool,
  CreateToolBody,
  id,
  createList,
  MaybeProjectQuery,
  ScopedListQuery,
  TestToolBody,
  Tool,
  ToolTest,
  UpdateToolBody,
} from '../resources/index.ts';
import { access, conditional, listing, mergedFields, reading, repeatable, writing } from './rules.ts';

const tag = 'Tools';
const oneTool = Type.Object({ toolId: id('tool') });

export const toolOperations = {
  listTools: {
    method: 'GET',
    path: '/tools',
    tag,
    summary: 'List tools, newest first',
    auth: 'project',
    access: access.readTools,
    query: ScopedListQuery,
    success: { status: 200, body: createList(Tool) },
    errors: [...listing],
    rate: 'read',
    idempotency: 'none',
  },
  createTool: {
    method: 'POST',
    path: '/tools',
    tag,
    summary: 'Create a tool; only this answer contains its signing secret',
    description:
      'Values of headers are secrets, too: they are sent to the tool and never shown. Every request to the tool carries `Service-Signature`, made with the signing secret over the whole request.',
    auth: 'project',
    access: access.writeTools,
    body: CreateToolBody,
    success: { status: 201, body: CreatedTool },
    secret: true,
    errors: [...writing, ...repeatable, 'svc/runtime/conflict'],
    rate: 'write',
    idempotency: 'accepted',
  },
  getTool: {
    method: 'GET',
    path: '/tools/{toolId}',
    tag,
    summary: 'Read a tool',
    auth: 'project',
    access: access.readTools,
    params: oneTool,
    query: MaybeProjectQuery,
    success: { status: 200, body: Tool },
    errors: [...reading],
    tagged: true,
    rate: 'read',
    idempotency: 'none',
  },
  updateTool: {
    method: 'PATCH',
    path: '/tools/{toolId}',
    tag,
    summary: 'Change, disable or enable a tool',
    description: `\`headers\` replaces the whole set; a header whose value is \`[redacted]\` keeps its value. When \`url\` changes to another origin (scheme, host or port), no value is kept: existing headers have to be sent again with it, else the answer is 422. ${mergedFields}`,
    auth: 'project',
    access: access.writeTools,
    params: oneTool,
    body: UpdateToolBody,
    success: { status: 200, body: Tool },
    tagged: true,
    errors: [...writing, ...conditional],
    rate: 'write',
    idempotency: 'none',
  },
  testTool: {
    method: 'POST',
    path: '/tools/{toolId}/test',
    tag,
    summary: 'Call a tool once, as a run would, and return its answer',
    description:
      'The call is real; it only lacks the headers that name run, thread and participant. A disabled tool is called, too, and nobody has to approve it. Arguments may have up to 64 KiB.',
    auth: 'project',
    access: access.executeTools,
    params: oneTool,
    body: TestToolBody,
    success: { status: 200, body: ToolTest },
    errors: [...writing, ...repeatable],
    rate: 'test',
    idempotency: 'accepted',
  },
} as const satisfies Record<string, Operation>;
