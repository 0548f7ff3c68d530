/** Tools (docs/contract-decisions.md, "Tool"). */
import { invalid, notFound } from '../../protocol/errors.ts';
import type { toolOperations } from '../../protocol/operations/index.ts';
import { type CreatedTool, defaultPageSize, type ToolTest } from '../../protocol/resources/index.ts';
import { findHeaderIssues, findInputSchemaIssues, largestArguments } from '../../protocol/tool-definition.ts';
import type { Reach } from '../../runtime/outbound/index.ts';
import { findToolTenant, type Tools } from '../../storage/agents/index.ts';
import type { Database, TenantScope } from '../../storage/database/index.ts';
import { performOnce } from '../../storage/idempotency/index.ts';
import type { Handlers } from '../pipeline/index.ts';
import { createAuditContext } from './caller.ts';
import { outboundAddressCheck } from './stitches.ts';
import { readCondition, tagged } from './tagged.ts';
import { requireScope, resolveScope } from './tenant-scope.ts';

/** Calls a tool outside a run. */
export interface ToolTester {
  /**
   * Any outcome of the call is an answer. Rejects with `svc/runtime/not_found` where the environment has no such tool.
   *
   * @param keyHash of the request: a repetition calls under the same id
   */
  test(
    tenant: TenantScope,
    toolId: string,
    input: Readonly<Record<string, unknown>>,
    keyHash?: string,
  ): Promise<ToolTest>;
}

export interface ToolServices {
  readonly database: Pick<Database, 'query' | 'em'>;
  readonly tools: Tools;
  readonly tester: ToolTester;
  /** What tools may reach: the same as in the pool. */
  readonly reach: Reach;
}

type Reads = Pick<typeof toolOperations, 'listTools' | 'getTool'>;

const defaultGraceSeconds = 86_400;

/** What a tool is that the request does not say. */
const defaults = {
  method: 'POST',
  description: null,
  inputSchema: null,
  timeoutMs: 5_000,
  retryMaxAttempts: 1,
  retryBackoffMs: 250,
  requiresApproval: false,
  headers: {},
  metadata: {},
} as const;

/**
 * The signing secret is shown once, when it is made; values of headers never. 422 for an address that the guard would refuse, for
 * headers that customers may not set, and for an `inputSchema` that is not a JSON Schema.
 */
export function toolHandlers(services: ToolServices): Handlers<typeof toolOperations> {
  return { ...readHandlers(services), ...writeHandlers(services) };
}

function readHandlers({ database, tools }: ToolServices): Handlers<Reads> {
  return {
    listTools: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await tools.list(requireScope(call), { cursor, limit }) };
    },

    getTool: async call => {
      const { toolId } = call.params;
      const found = await tools.find(await resolveScope(call, database, findToolTenant, toolId), toolId);
      if (found === undefined) throw notFound();
      return tagged(found);
    },
  };
}

function writeHandlers({
  database,
  tools,
  tester,
  reach,
}: ToolServices): Handlers<Omit<typeof toolOperations, keyof Reads>> {
  const checkAddress = outboundAddressCheck(reach, '/body/url');

  return {
    createTool: async call => {
      const { projectId, environmentId, environmentKind } = requireScope(call);
      checkAddress(call.body.url, environmentKind);
      checkDefinition(call.body);
      const definition = { ...defaults, ...call.body, projectId, environmentId };
      const request = { ...definition, ...createAuditContext(call) };
      const { tool, signingSecret } = await call.once(key => tools.create({ ...request, key }));
      const body: CreatedTool = { ...tool, signingSecret };
      return { body };
    },

    updateTool: async call => {
      const { toolId } = call.params;
      const scope = await resolveScope(call, database, findToolTenant, toolId);
      const { projectId, environmentId, environmentKind } = scope;
      const { projectId: _, ...changes } = call.body;
      if (changes.url !== undefined) checkAddress(changes.url, environmentKind);
      checkDefinition(changes);
      const change = { projectId, environmentId, toolId, changes, ...readCondition(call) };
      return tagged(await tools.update({ ...change, ...createAuditContext(call) }));
    },

    rotateToolSecret: async call => {
      const { toolId } = call.params;
      const { projectId, environmentId } = await resolveScope(call, database, findToolTenant, toolId);
      const { gracePeriodSeconds = defaultGraceSeconds } = call.body;
      const rotation = { projectId, environmentId, toolId, gracePeriodSeconds, ...createAuditContext(call) };
      const { tool, signingSecret } = await call.once(key => tools.rotateSecret({ ...rotation, key }));
      const body: CreatedTool = { ...tool, signingSecret };
      return { body };
    },

    testTool: async call => {
      const { toolId } = call.params;
      const scope = await resolveScope(call, database, findToolTenant, toolId);
      const { arguments: input = {} } = call.body;
      checkArguments(input);
      const { projectId, environmentId } = scope;
      const test = { projectId, environmentId, toolId, ...createAuditContext(call) };
      return {
        body: await call.once(key =>
          performOnce(database, key, async () => {
            await tools.recordTest(test);
            return tester.test(scope, toolId, input, key?.keyHash);
          }),
        ),
      };
    },
  };
}

function checkArguments(input: Readonly<Record<string, unknown>>): void {
  if (Buffer.byteLength(JSON.stringify(input)) <= largestArguments) return;
  const message = `must have at most ${largestArguments} bytes`;
  throw invalid([{ path: '/body/arguments', message, code: 'size' }]);
}

interface CheckedDefinition {
  readonly headers?: Readonly<Record<string, string>>;
  readonly inputSchema?: Readonly<Record<string, unknown>> | null;
}

function checkDefinition({ headers = {}, inputSchema = null }: CheckedDefinition): void {
  const issues = findHeaderIssues(headers, '/body/headers');
  if (inputSchema !== null) issues.push(...findInputSchemaIssues(inputSchema, '/body/inputSchema'));
  if (issues.length > 0) throw invalid(issues);
}
