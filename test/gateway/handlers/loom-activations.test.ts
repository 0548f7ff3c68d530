/** When versions of a loom became active, by whom and why, and the way back, over REST. */
import t from 'tap';
import type { Loom, LoomActivation, LoomVersion } from '../../../protocol/resources/loom.ts';
import type { Client, ListOf, Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const tenant = await skein.tenant();
const { key, person, projectId } = tenant;
const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'model-1' } as const;

const newLoom = (): Promise<Loom> =>
  key.get('createLoom', { body: { projectId, name: 'Loom', ...definition } });
const newVersion = (loomId: string, more: object = {}): Promise<LoomVersion> =>
  key.get('createLoomVersion', { params: { loomId }, body: { projectId, ...definition, ...more } });
const history = (loomId: string, query: object = {}, by: Client = key): Promise<ListOf<LoomActivation>> =>
  by.get('listLoomActivations', { params: { loomId }, query: { ...query } });

t.test('every activation is an entry: who, when and why, and what was active before', async t => {
  const { loomId, activeVersionId: first = null } = await newLoom();
  const { loomVersionId: second } = await newVersion(loomId, { reason: 'Shorter answers.' });
  const { loomVersionId: third } = await newVersion(loomId, { activate: false });
  const activate = (body: object) =>
    person.get<Loom>('activateLoomVersion', { params: { loomId }, body: { projectId, ...body } });
  await activate({ loomVersionId: third, reason: 'Measured better.' });
  await activate({ loomVersionId: third, reason: 'Said twice.' });
  await activate({ loomVersionId: second });

  const { data, hasMore } = await history(loomId);
  const byKey = { type: 'api_key' };
  const byPerson = { type: 'user', id: tenant.userId };
  t.match(data, [
    {
      number: 4,
      loomVersionId: second,
      version: 2,
      previousVersionId: third,
      previousVersion: 3,
      reason: null,
      actor: byPerson,
    },
    { number: 3, loomVersionId: third, version: 3, previousVersionId: second, reason: 'Measured better.' },
    {
      number: 2,
      version: 2,
      previousVersionId: first,
      previousVersion: 1,
      reason: 'Shorter answers.',
      actor: byKey,
    },
    {
      number: 1,
      loomVersionId: first,
      version: 1,
      previousVersionId: null,
      previousVersion: null,
      reason: null,
      actor: byKey,
    },
  ]);
  t.equal(data.length, 4, 'what changes nothing is no entry');
  const unused = { ...definition, projectId, activate: false, reason: 'Why?' };
  t.match(await key.ask<Refusal>('createLoomVersion', { params: { loomId }, body: unused }), {
    status: 422,
    body: { details: { issues: [{ path: '/body/reason', code: 'activate' }] } },
  });
  t.notOk(hasMore);

  const page = await history(loomId, { limit: 3 });
  t.same(
    page.data.map(({ number }) => number),
    [4, 3, 2],
  );
  const rest = await history(loomId, { limit: 3, cursor: page.nextCursor ?? '' });
  t.same(
    rest.data.map(({ number }) => number),
    [1],
  );
});

t.test(
  'the way back is the version before, as a new entry, and two who go back at once go back once',
  async t => {
    const { loomId, activeVersionId: first } = await newLoom();
    const { loomVersionId: second } = await newVersion(loomId);
    const revert = () =>
      key.ask<Loom & Refusal>('activateLoomVersion', {
        params: { loomId },
        body: { projectId, loomVersionId: String(first), expectedActiveVersionId: second, reason: 'Worse.' },
      });
    const both = await Promise.all([revert(), revert()]);
    t.match(both, [
      { status: 200, body: { activeVersionId: first } },
      { status: 200, body: { activeVersionId: first } },
    ]);
    t.match((await history(loomId)).data, [
      { number: 3, version: 1, previousVersion: 2, reason: 'Worse.' },
      { number: 2 },
      { number: 1 },
    ]);

    const { loomVersionId: third } = await newVersion(loomId);
    const late = await revert();
    t.match(late, { status: 409, body: { error: 'svc/runtime/conflict' } }, 'another one is active by now');
    t.equal((await key.get<Loom>('getLoom', { params: { loomId } })).activeVersionId, third);
    t.equal((await history(loomId)).data.length, 4);
  },
);
