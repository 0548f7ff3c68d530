/** Lists of what is archived: instead of the others, with cursors of their own. */
import t from 'tap';
import type { Refusal, ListOf } from '../../node/client.ts';
import { newStitch } from '../../node/tenant.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);
const tenant = await skein.tenant();
const { key, projectId } = tenant;
const definition = { systemPrompt: 'Answer.', provider: 'llm_provider_1', model: 'm' };

type Made = Readonly<Record<string, string>>;

/** How one of each is made and archived, by its id. */
const kinds = [
  {
    idField: 'stitchId',
    list: 'listStitches',
    archive: 'archiveStitch',
    make: async () => (await newStitch(tenant, 'https://receiver.example/hook')).stitchId,
  },
  {
    idField: 'agentId',
    list: 'listAgents',
    archive: 'archiveAgent',
    make: async () =>
      (await key.get<Made>('createAgent', { body: { projectId, name: 'Ava' } }))['agentId'] ?? '',
  },
  {
    idField: 'loomId',
    list: 'listLooms',
    archive: 'archiveLoom',
    make: async () =>
      (await key.get<Made>('createLoom', { body: { projectId, name: 'Desk', ...definition } }))['loomId'] ??
      '',
  },
] as const;

for (const { idField, list, archive, make } of kinds) {
  t.test(list, async t => {
    const ids = [await make(), await make(), await make()];
    const [first = '', second = '', kept = ''] = ids;
    for (const id of [first, second]) await key.get(archive, { params: { [idField]: id } });
    const listed = async (query: Readonly<Record<string, string | number | boolean>>) => {
      const { data, nextCursor } = await key.get<ListOf<Made>>(list, { query: { projectId, ...query } });
      return { ids: data.map(each => each[idField]), nextCursor };
    };
    t.strictSame((await listed({})).ids, [kept]);
    t.strictSame((await listed({ archived: false })).ids, [kept]);
    t.strictSame((await listed({ archived: true })).ids, [second, first], 'the newest first');
    const page = await listed({ archived: true, limit: 1 });
    t.strictSame(page.ids, [second]);
    const cursor = page.nextCursor ?? '';
    t.strictSame((await listed({ archived: true, limit: 1, cursor })).ids, [first]);
    const other = await key.ask<Refusal>(list, { query: { projectId, cursor } });
    t.equal(other.status, 400, 'a cursor is good for its list');
  });
}
