/** Tools over REST (decisions, sections 2 and 6). */
import { invalid, notFound } from '../../../protocol/errors.ts';
import type { toolOperations } from '../../../protocol/operations/tools.ts';
import { defaultPageSize } from '../../../protocol/resources/list.ts';
import { largestArguments, type CreatedTool, type ToolTest } from '../../../protocol/resources/tool.ts';
import { headerIssues } from '../../../protocol/tool-headers.ts';
import { inputSchemaIssues } from '../../../protocol/tool-input.ts';
import type { Reach } from '../../../runtime/pool/address-guard.ts';
import { placeOfTool } from '../../../storage/agents/places.ts';
import type { Tools } from '../../../storage/agents/tools.ts';
import type { Database } from '../../../storage/database.ts';
import type { Place } from '../../../storage/reads/place.ts';
import type { Handlers } from '../handler.ts';
import { deedOf } from './author.ts';
import { outboundAddress } from './outbound-address.ts';
import { placeOfCall, scopeById } from './place.ts';

/** Calls a tool outside of any run. */
export interface ToolTester {
  /** Whatever comes of the call is an answer. Rejects with `svc/runtime/not_found` where the place has no such tool. */
  test(place: Place, toolId: string, input: Readonly<Record<string, unknown>>): Promise<ToolTest>;
}

export interface ToolServices {
  readonly database: Pick<Database, 'query'>;
  readonly tools: Tools;
  readonly tester: ToolTester;
  /** What tools may reach: the same as the pool's. */
  readonly reach: Reach;
}

interface Checked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly inputSchema?: Readonly<Record<string, unknown>> | null;
}

/**
 * The signing secret is shown once, when made; values of headers never. 422 for an address that the guard would refuse, headers
 * that are not the customer's to set, or an `inputSchema` that is none.
 */
export function toolHandlers(services: ToolServices): Handlers<typeof toolOperations> {
  const { database, tools, tester, reach } = services;
  const checkAddress = outboundAddress(reach, '/body/url');
  const check = ({ headers = {}, inputSchema = null }: Checked): void => {
    const issues = headerIssues(headers, '/body/headers');
    if (inputSchema !== null) issues.push(...inputSchemaIssues(inputSchema, '/body/inputSchema'));
    if (issues.length > 0) throw invalid(issues);
  };

  return {
    listTools: async call => {
      const { cursor, limit = defaultPageSize } = call.query;
      return { body: await tools.list(placeOfCall(call), { cursor, limit }) };
    },

    createTool: async call => {
      const { projectId, environmentId, environmentKind } = placeOfCall(call);
      const { name, url, method = 'POST', description = null, inputSchema = null } = call.body;
      const { timeoutMs = 5_000, retryMaxAttempts = 1, retryBackoffMs = 250 } = call.body;
      const { headers = {}, metadata = {} } = call.body;
      checkAddress(url, environmentKind);
      check(call.body);
      const { tool, signingSecret } = await tools.create({
        ...{ projectId, environmentId, name, url, method, description, inputSchema, headers, metadata },
        ...{ timeoutMs, retryMaxAttempts, retryBackoffMs, ...deedOf(call) },
      });
      const body: CreatedTool = { ...tool, signingSecret };
      return { body };
    },

    getTool: async call => {
      const { toolId } = call.params;
      const found = await tools.find(await scopeById(call, database, placeOfTool, toolId), toolId);
      if (found === undefined) throw notFound();
      return { body: found };
    },

    updateTool: async call => {
      const { toolId } = call.params;
      const scope = await scopeById(call, database, placeOfTool, toolId);
      const { projectId, environmentId, environmentKind } = scope;
      const { projectId: _, ...changes } = call.body;
      if (changes.url !== undefined) checkAddress(changes.url, environmentKind);
      check(changes);
      return { body: await tools.update({ projectId, environmentId, toolId, changes, ...deedOf(call) }) };
    },

    testTool: async call => {
      const { toolId } = call.params;
      const scope = await scopeById(call, database, placeOfTool, toolId);
      const { arguments: input = {} } = call.body;
      if (Buffer.byteLength(JSON.stringify(input)) > largestArguments) {
        const message = `must have at most ${largestArguments} bytes`;
        throw invalid([{ path: '/body/arguments', message, code: 'size' }]);
      }
      return { body: await tester.test(scope, toolId, input) };
    },
  };
}
