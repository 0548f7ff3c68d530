/**
 * Nobody learns of what is another's: in every field of every operation that holds an id, that of another tenant, and that of
 * the other environment of the same project, gets the answer of one that does not exist, to the byte but for the request's own id.
 */
import t, { type Test } from 'tap';
import { newId, type Resource } from '../../protocol/ids.ts';
import type { Operation } from '../../protocol/operation.ts';
import { operations, type OperationId } from '../../protocol/operations/table.ts';
import type { Asked, Client, Reply } from '../node/client.ts';
import { fields, type Field } from '../node/sample.ts';
import { ask } from './ask.ts';
import { put } from './refusals.ts';
import { usualCaller, type AnyScenario } from './scenario.ts';
import { scenarios } from './scenarios/all.ts';
import { startWorld, type Place } from './world.ts';

t.setTimeout(150_000);

const world = await startWorld(t);
const rows = (Object.entries(operations) as [OperationId, Operation][]).filter(
  ([, { auth }]) => auth === 'project' || auth === 'user' || auth === 'stream',
);

/** Ids of a place by what they name, as requests of its scenarios have them. */
type Belongings = Map<Resource, string>;

const everything = new Map<Place, Promise<Belongings>>();

async function gather(place: Place): Promise<Belongings> {
  const found: Belongings = new Map();
  for (const [id, operation] of rows) {
    const { request, variants = [] } = scenarios[id];
    for (const make of [request, ...variants]) {
      const asked = await make(place);
      for (const { part, name, resource } of fields(operation)) {
        const value = (asked[part] as Readonly<Record<string, unknown>> | undefined)?.[name];
        if (resource !== undefined && typeof value === 'string') found.set(resource, value);
      }
    }
  }
  return found;
}

function belongingsOf(place: Place): Promise<Belongings> {
  let found = everything.get(place);
  if (found === undefined) everything.set(place, (found = gather(place)));
  return found;
}

const anonymous = ({ status, text }: Reply<unknown>): string =>
  `${status} ${text.replace(/"requestId":"[^"]+"/, '')}`;

/** A filter shows nothing of what is not there; everything else refuses. */
const isFilter = ({ part, name }: Field): boolean =>
  part === 'query' && !['projectId', 'environmentId', 'workspaceId'].includes(name);
/** Lists of what a user sees, narrowed. */
const narrows = (id: OperationId, { name }: Field): boolean =>
  (id === 'listProjects' && name === 'workspaceId') || (id === 'listEnvironments' && name === 'projectId');

/** Of what is made here, what it shall be made with: told apart by field, since it may be one of many. */
const refers = ({ part, name }: Field): boolean =>
  part === 'body' && ['byokCredentialId', 'loomId'].includes(name);

/** The request of the scenario that has the field, or else the first. */
async function requestWith(
  { request, variants = [] }: AnyScenario,
  place: Place,
  field: Field,
): Promise<Asked> {
  for (const make of [request, ...variants]) {
    const asked = await make(place);
    if ((asked[field.part] as Readonly<Record<string, unknown>> | undefined)?.[field.name] !== undefined)
      return asked;
  }
  return request(place);
}

async function probe(
  t: Test,
  by: Client,
  place: Place,
  other: Place,
  shared: readonly Resource[],
): Promise<void> {
  const theirs = await belongingsOf(other);
  let asked = 0;
  for (const [id, operation] of rows) {
    if (by === place.key && !operation.access?.scopes) continue;
    for (const field of fields(operation)) {
      const { resource } = field;
      if (resource === undefined || shared.includes(resource)) continue;
      const foreign = theirs.get(resource);
      // A filter or a reference may name what nothing makes yet; a path may not.
      if (foreign === undefined) {
        if (field.part === 'params') t.fail(`${id}: nothing foreign to put for ${field.name}`);
        continue;
      }
      const request = await requestWith(scenarios[id], place, field);
      const answer = await ask(by, id, put(request, field, foreign));
      const nothing = await ask(by, id, put(request, field, newId(resource)));
      const name = `${id}: ${field.part} ${field.name}`;
      if (anonymous(answer) !== anonymous(nothing)) t.same(anonymous(answer), anonymous(nothing), name);
      const wanted = isFilter(field) || narrows(id, field) ? 200 : refers(field) ? 422 : 404;
      if (answer.status !== wanted) t.fail(`${name} answered ${answer.status} ${answer.text}`);
      asked++;
    }
  }
  t.ok(asked > 40, `${asked} fields asked`);
}

const { sandbox, production, foreign } = world;

t.test("another tenant's, with an API key", t => probe(t, sandbox.key, sandbox, foreign, []));
t.test("another tenant's, with an access token", t => probe(t, sandbox.person, sandbox, foreign, []));

// One project, one workspace, one set of people; keys and whatever is the project's are no environment's.
const ofBoth = ['project', 'workspace', 'user', 'apiKey', 'invitation', 'partnerApp'] as const;
t.test("production's, with a key of the sandbox", t => probe(t, sandbox.key, sandbox, production, ofBoth));
t.test("the sandbox's, with a key of production", t => probe(t, production.key, production, sandbox, ofBoth));

t.test('what the other tenant has is as it was', async t => {
  const { person, projectId } = foreign;
  const events = await person.all<{ eventName: string }>('listStreamEvents', { params: { projectId } });
  t.notOk(
    events.some(({ eventName }) => eventName.endsWith('.deleted') || eventName === 'channel.message.read'),
  );
  t.ok(usualCaller(operations.getThread, foreign) === foreign.key);
});

t.test('the node', t => world.unharmed(t));
