/** A service's call on its way to an actor: begun only for somebody who still waits for it, and within their time. */
import t from 'tap';
import {
  nodeForServices,
  ServiceCall,
  type CallContext,
  type ServiceRequest,
} from '../../../gateway/grpc/service-call.ts';
import { Cancelled } from '../../../gateway/grpc/status.ts';
import { notFound } from '../../../protocol/errors.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Endpoint } from '../../../gateway/pipeline/call.ts';
import { threadOperations } from '../../../protocol/operations/threads.ts';
import type { AskOptions, Node } from '../../../runtime/node/node.ts';
import { noTracer } from '../../../runtime/observability/tracer.ts';
import { systemClock } from '../../../runtime/time/clock.ts';

const projectId = newId('project');
const environmentId = newId('environment');

const endpoint: Endpoint = {
  id: 'getThread',
  tracer: noTracer,
  operation: threadOperations.getThread,
  handler: () => ({}),
  rules: {
    needsCaller: true,
    inProject: true,
    admit: () => undefined,
    scope: (_, projectId = '', environmentId = '') =>
      Promise.resolve({ projectId, environmentId, environmentKind: 'sandbox', role: 'service' }),
    workspaceRole: () => Promise.reject(new Error('a service has no role')),
    takesActingUser: false,
    actFor: () => Promise.reject(new Error('a service acts as the system')),
    absent: notFound,
  },
  limiter: undefined,
  reads: undefined,
  room: undefined,
  idempotency: undefined as never,
  clock: systemClock,
};

function callWith(context: Partial<CallContext>): ServiceCall {
  const request: ServiceRequest = {
    path: '/v1/threads',
    readParts: () => ({
      params: { threadId: newId('thread') },
      query: {},
      body: undefined,
      scope: { projectId, environmentId },
    }),
  };
  const call = new ServiceCall(endpoint, request, {
    service: 'billing',
    requestId: newId('request'),
    address: '127.0.0.1',
    traceparent: undefined,
    deadline: Infinity,
    cancelled: () => false,
    traced: () => undefined,
    ...context,
  });
  call.caller = call.authenticate();
  call.takeParts(call.readParts());
  return call;
}

/** Notes what it is asked with. */
function noting(): { asked: (AskOptions | undefined)[]; node: Pick<Node, 'ask'> } {
  const asked: (AskOptions | undefined)[] = [];
  const ask = ((_to, _command, _payload, options) => {
    asked.push(options);
    return Promise.resolve(null);
  }) as Node['ask'];
  return { asked, node: nodeForServices({ ask }) };
}

const thread = { kind: 'thread', id: newId('thread') };

t.test('a request whose client has gone is not begun', async t => {
  const { asked, node } = noting();
  const gone = callWith({ cancelled: () => true });
  await t.rejects(async () => node.ask(thread, 'receive', {}, gone), Cancelled);
  const late = callWith({ deadline: performance.now() - 1 });
  await t.rejects(async () => node.ask(thread, 'receive', {}, late), {
    code: 'svc/runtime/unavailable',
    details: { reason: 'deadline' },
  });
  t.same(asked, []);
});

t.test('an actor is given the time that the client has, and no more than REST gives', async t => {
  const { asked, node } = noting();
  await node.ask(thread, 'receive', {}, callWith({ deadline: performance.now() + 3_000 }));
  await node.ask(thread, 'receive', {}, callWith({ deadline: performance.now() + 60_000 }));
  await node.ask(thread, 'receive', {}, callWith({}));
  const [short = 0, long, endless] = asked.map(options => options?.deadlineMs);
  t.ok(short > 0 && short <= 3_000, `${short} ms`);
  t.same([long, endless], [10_000, 10_000]);
});
