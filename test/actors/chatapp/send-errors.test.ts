/** What becomes of a message that the provider has refused: every code that it is known to answer has its class. */
import t from 'tap';
import { GraphError } from '../../../actors/chatapp/graph.ts';
import {
  classifySendError,
  getSendRetryMs,
  isNumberThrottled,
  toProviderOutcome,
} from '../../../actors/chatapp/send-errors.ts';
import { providerErrors } from '../../support/chatapp-provider/index.ts';

const refuse = (code?: number, more: object = {}) =>
  new GraphError('no', { ...(code === undefined ? {} : { code }), ...more });

t.test('each code has its class', async t => {
  const classes: Record<string, number[]> = {};
  for (const code of Object.keys(providerErrors).map(Number)) {
    (classes[classifySendError(refuse(code))] ??= []).push(code);
  }
  t.same(classes['connection'], [0, 3, 10, 33, 190, 200, 368, 131005, 131031]);
  t.same(classes['throttled'], [4, 80007, 130429, 131048, 131056, 131057, 131064, 133016, 2494100]);
  t.same(classes['temporary'], [1, 2, 131000, 131016, 131053, 133004]);
  t.equal(classes['lost'], undefined);
  t.ok(classes['refused']?.includes(131047));
});

t.test('what may have been done is never done again, whatever else is said', async t => {
  for (const code of [undefined, 131000]) {
    t.equal(classifySendError(refuse(code, { mayBeDone: true, isTransient: true })), 'lost');
  }
  t.equal(classifySendError(refuse(undefined, { isTransient: true })), 'throttled', 'nobody was there');
  t.equal(classifySendError(refuse(999_999, { isTransient: true })), 'temporary');
  t.equal(classifySendError(refuse(999_999)), 'refused');
});

t.test('the waits grow, and those of a pair as the provider asks', async t => {
  const waits = (code: number) => [1, 2, 3, 10].map(attempt => getSendRetryMs(refuse(code), attempt));
  t.same(waits(131056), [1_000, 4_000, 16_000, 900_000]);
  t.same(waits(130429), [1_000, 2_000, 4_000, 60_000]);
  t.notOk(isNumberThrottled(refuse(131056)), 'others may leave');
  t.ok(isNumberThrottled(refuse(130429)));
  t.ok(isNumberThrottled(refuse()));
});

t.test('how a call has ended, for the metrics', async t => {
  t.equal(toProviderOutcome(undefined), 'succeeded');
  for (const [code, outcome] of [
    [190, 'credentials_refused'],
    [131056, 'rate_limited'],
    [131000, 'server_error'],
    [131047, 'refused'],
  ] as const) {
    t.equal(toProviderOutcome(refuse(code)), outcome, `${code}`);
  }
  for (const noAnswer of ['timeout', 'unreachable', 'rate_limited', 'server_error', 'invalid_answer']) {
    t.equal(toProviderOutcome(refuse(undefined, { noAnswer })), noAnswer);
  }
  t.equal(toProviderOutcome(refuse(undefined, { noAnswer: 'stopped' })), undefined, 'nobody waited');
  t.equal(toProviderOutcome(refuse()), 'invalid_answer');
});
