/** Usage over REST, on a whole node. */
import t from 'tap';
import type { ModelPrice, Usage } from '../../../protocol/resources/usage.ts';
import type { ListOf, Refusal } from '../../node/client.ts';
import { newStitch } from '../../node/tenant.ts';
import { answer, startReceiver } from '../../support/receiver.ts';
import { receiveMessages, untilDeliveries } from '../../support/conversations.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const today = (): string => new Date().toISOString().slice(0, 10);

t.test('messages of the last 30 days, of one environment', async t => {
  const tenant = await skein.tenant();
  const { key, person, projectId } = tenant;
  const threadId = await receiveMessages(tenant, 3);
  await key.get('createMessage', {
    params: { threadId },
    body: { projectId, body: 'answer', direction: 'outbound' },
  });
  const query = { projectId };
  const { data } = await key.get<ListOf<Usage>>('listUsage', { query });
  t.same(data, [
    {
      day: today(),
      messagesInbound: 3,
      messagesOutbound: 1,
      deliveries: 0,
      deliveryAttempts: 0,
      agentRuns: 0,
      toolCalls: 0,
      promptTokens: 0,
      completionTokens: 0,
      totalTokens: 0,
      estimatedCostMicros: 0,
    },
  ]);
  t.same((await person.get<ListOf<Usage>>('listUsage', { query })).data, data, 'an owner sees the sandbox');
  t.same((await key.get<ListOf<Usage>>('listUsage', { query: { projectId, groupBy: 'agent' } })).data, []);

  const byChannel = await key.get<ListOf<Usage>>('listUsage', { query: { projectId, groupBy: 'channel' } });
  t.match(byChannel.data, [
    { channelId: tenant.channelId, messagesInbound: 3, messagesOutbound: 1, agentRuns: 0 },
  ]);
  t.notOk(byChannel.data.some(group => 'deliveries' in group));
});

t.test('webhooks that were delivered, and the requests that it took', async t => {
  const tenant = await skein.tenant();
  const { key, projectId } = tenant;
  const receiver = await startReceiver(t);
  await newStitch(tenant, receiver.url());
  await receiveMessages(tenant, 2);
  // The thread's beginning is one, too.
  await untilDeliveries(key, { projectId, status: 'delivered' }, 3);
  receiver.behaviour = answer(503);
  await receiveMessages(tenant, 1);
  await untilDeliveries(key, { projectId, status: 'retrying' }, 1);
  const { data } = await key.get<ListOf<Usage>>('listUsage', { query: { projectId } });
  const sums = (name: 'deliveries' | 'deliveryAttempts') =>
    data.reduce((sum, day) => sum + (day[name] ?? 0), 0);
  t.same([sums('deliveries'), sums('deliveryAttempts')], [3, 4]);
});

t.test('days are days, in order, and a year of them at most', async t => {
  const { key, projectId } = await skein.tenant();
  const getStatus = async (query: Record<string, string>) =>
    (await key.ask<Refusal>('listUsage', { query: { projectId, ...query } })).status;
  t.equal(await getStatus({ from: '2024-01-01', to: '2024-12-31' }), 200);
  t.equal(await getStatus({ from: '2024-01-01', to: '2025-01-01' }), 422);
  t.equal(await getStatus({ from: '2024-01-02', to: '2024-01-01' }), 422);
  t.equal(await getStatus({ from: '2024-01-01', to: '2024-01-01' }), 200);
  t.equal(await getStatus({ to: '0001-01-01' }), 200);
  t.equal(await getStatus({ to: '9999-12-31' }), 200);
  for (const from of ['2024-02-30', '2024-1-1', '20240101', '2024-01-01T00:00:00Z', 'today', '']) {
    t.equal(await getStatus({ from }), 422, from);
  }
  t.equal(await getStatus({ groupBy: 'moon' }), 422);
});

t.test('the prices of models: of all, by a part of a name, and of those in use', async t => {
  const { key, projectId } = await skein.tenant();
  const list = (query: object) =>
    key.get<ListOf<ModelPrice>>('listModelPrices', { query: { projectId, ...query } });
  const definition = { projectId, systemPrompt: 'Answer.', provider: 'llm_provider_1' };
  t.strictSame((await list({ inUse: true })).data, []);
  for (const model of ['gpt-4o-mini-2024-07-18', 'our-own-model', 'our-own-model']) {
    await key.get('createLoom', { body: { ...definition, name: 'Loom', model } });
  }
  const [known, unknown, ...more] = (await list({ inUse: true })).data;
  t.match(known, { model: 'gpt-4o-mini-2024-07-18', inputMicros: 150_000, outputMicros: 600_000 });
  t.match(unknown, { model: 'our-own-model', inputMicros: null, outputMicros: null });
  t.strictSame(more, []);
  const meant = await list({ model: 'gpt-4o-mini-2024-07-18' });
  t.match(meant.data[0], { model: 'gpt-4o-mini-2024-07-18', inputMicros: 150_000 });
  t.strictSame((await list({ model: 'our-own-model' })).data, []);
  const minis = await list({ model: 'GPT-4O-MINI', provider: 'llm_provider_1' });
  t.ok(minis.data.length > 0);
  t.ok(minis.data.every(({ model, provider }) => model.includes('4o-mini') && provider === 'llm_provider_1'));
  const paged: ModelPrice[] = [];
  for (let cursor: string | null | undefined; cursor !== null;) {
    const page = await list({ limit: 100, ...(cursor && { cursor }) });
    paged.push(...page.data);
    cursor = page.nextCursor;
  }
  t.ok(paged.length > 100);
  t.equal(new Set(paged.map(({ provider, model }) => `${provider} ${model}`)).size, paged.length);
});
