/** What became of a message, put in order. */
import t from 'tap';
import { isGoingOn, toEntries } from '../../../../clients/studio/messages/message-timeline.ts';
import { readId } from '../../../../clients/studio/parts/ids.ts';
import { newId } from '../../../../protocol/ids.ts';
import type { MessageTimeline } from '../../../../clients/sdk/index.ts';

const at = (second: number): string => `2026-11-20T10:00:0${second}.000Z`;
const event = (eventId: string, second: number) => ({
  eventId,
  eventName: 'thread.message.received',
  occurredAt: at(second),
  sequence: 1,
});
const createTimeline = (parts: object): MessageTimeline =>
  ({ events: [], runs: [], toolCalls: [], deliveries: [], ...parts }) as unknown as MessageTimeline;

t.test('events and runs by time, with what belongs to each', async t => {
  const call = { ...event('evt_3', 2), agentRunId: 'run_1' };
  const entries = toEntries(
    createTimeline({
      events: [event('evt_1', 1), event('evt_2', 1), event('evt_4', 3)],
      runs: [{ agentRunId: 'run_1', createdAt: at(1) }],
      toolCalls: [call],
      deliveries: [
        { deliveryId: 'whd_1', eventId: 'evt_2' },
        { deliveryId: 'whd_2', eventId: 'evt_4' },
        { deliveryId: 'whd_3', eventId: 'evt_2' },
      ],
    }),
  );
  t.match(entries, [
    { is: 'event', event: { eventId: 'evt_1' }, deliveries: [] },
    {
      is: 'event',
      event: { eventId: 'evt_2' },
      deliveries: [{ deliveryId: 'whd_1' }, { deliveryId: 'whd_3' }],
    },
    { is: 'run', run: { agentRunId: 'run_1' }, calls: [call] },
    { is: 'event', event: { eventId: 'evt_4' }, deliveries: [{ deliveryId: 'whd_2' }] },
  ]);
  t.equal(entries.length, 4);
});

t.test('it is looked at again often while something is under way', async t => {
  const of = (deliveries: string[], runs: string[]) =>
    isGoingOn(
      createTimeline({
        deliveries: deliveries.map(status => ({ status })),
        runs: runs.map(status => ({ status })),
      }),
    );
  t.notOk(of(['delivered', 'failed', 'cancelled'], ['succeeded', 'failed', 'cancelled']));
  for (const status of ['pending', 'delivering', 'retrying']) t.ok(of(['delivered', status], []), status);
  for (const status of ['pending', 'running']) t.ok(of([], ['failed', status]), status);
});

t.test('an id says what it is of', async t => {
  t.equal(readId(newId('message')), 'message');
  t.equal(readId(newId('delivery')), 'delivery');
  t.equal(readId(newId('loom')), 'instructions');
  for (const text of [
    '',
    'msg_',
    `${newId('message')}x`,
    newId('apiKey'),
    'toString_00000000000000000000000000',
  ])
    t.equal(readId(text), undefined, text);
});
