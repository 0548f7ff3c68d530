/** The profile of a user, and what others see of it. */
import t from 'tap';
import type { ListedConsoleMember, Profile, WorkspaceMember } from '../../../protocol/resources/index.ts';
import type { Client, ListOf, Refusal } from '../../node/client.ts';
import { shareSkein } from '../../support/skein.ts';

const skein = await shareSkein(t);

const change = async (person: Client, body: object) =>
  (await person.ask<Profile & Refusal>('updateProfile', { body })).body;

t.test('a change leaves the other settings, which have defaults', async t => {
  const { person, email, userId } = await skein.tenant();
  const fresh = {
    userId,
    email,
    displayName: email.split('@')[0],
    avatarColor: null,
    notifications: { title: true, sound: false, browser: false, showText: false, about: 'unassigned' },
    theme: 'auto',
    language: null,
    timeZone: null,
    savedFilters: {},
  };
  t.strictSame(await person.get('getProfile'), fresh);
  await change(person, { displayName: 'Ada', avatarColor: 'grape', notifications: { sound: true } });
  await change(person, { notifications: { browser: true }, theme: 'dark' });
  const changed = await change(person, { language: 'de-CH', timeZone: 'Europe/Zurich' });
  t.strictSame(changed, {
    ...fresh,
    displayName: 'Ada',
    avatarColor: 'grape',
    notifications: { title: true, sound: true, browser: true, showText: false, about: 'unassigned' },
    theme: 'dark',
    language: 'de-CH',
    timeZone: 'Europe/Zurich',
  });
  t.strictSame(await change(person, {}), changed);
  const back = { displayName: null, avatarColor: null, language: null, timeZone: null };
  t.match(await change(person, back), { ...back, displayName: fresh.displayName, theme: 'dark' });
});

t.test('two changes at once: neither is lost', async t => {
  const { person } = await skein.tenant();
  const themes = ['light', 'dark'];
  await Promise.all([
    change(person, { notifications: { sound: true } }),
    change(person, { notifications: { showText: true } }),
    ...themes.map(theme => change(person, { theme })),
  ]);
  const { notifications, theme } = await person.get<Profile>('getProfile');
  t.strictSame(notifications, {
    title: true,
    sound: true,
    browser: false,
    showText: true,
    about: 'unassigned',
  });
  t.ok(themes.includes(theme));
});

t.test('a wrong value is refused by its field', async t => {
  const { person } = await skein.tenant();
  for (const [field, value] of [
    ['displayName', '  '],
    ['language', 'de-x'],
    ['timeZone', 'Europe/Atlantis'],
    ['timeZone', '+01:00'],
  ] as const) {
    const { error, details } = await change(person, { [field]: value });
    t.equal(error, 'svc/validation/invalid_request', `${field}: ${String(value)}`);
    t.match(details, { issues: [{ path: `/body/${field}` }] });
  }
  const { body } = await person.ask<Refusal>('updateProfile', {
    body: { theme: 'dark' },
    headers: { 'if-match': '"1"' },
  });
  t.equal(body.error, 'svc/validation/invalid_request', 'a profile has no ETag');
});

const late = { queue: 'waitingLongest', filters: { tag: ['vip'], agentMode: ['none'], unread: true } };
const unassigned = { queue: 'allOpen', filters: { assigneeUserId: ['unassigned'] } };

t.test(
  'saved filters have a project and a name; a filter is replaced as a whole, and removed by null',
  async t => {
    const { person, projectId } = await skein.tenant();
    const other = 'prj_other';
    const keep = async (savedFilters: object): Promise<object> =>
      (await change(person, { savedFilters })).savedFilters;
    const odd = { valueOf: { queue: 'mine', filters: {} } };
    await keep({ [projectId]: { Late: late, 'Späte 👩🏽‍🚒': unassigned } });
    await Promise.all([keep({ [other]: { Late: unassigned } }), keep({ [projectId]: odd })]);
    await keep({ [projectId]: { Late: unassigned } });
    await change(person, { theme: 'dark' });
    const { savedFilters } = await person.get<Profile>('getProfile');
    t.strictSame(
      Object.entries(savedFilters[projectId] ?? {}).sort(([one], [two]) => one.localeCompare(two)),
      Object.entries({ Late: unassigned, 'Späte 👩🏽‍🚒': unassigned, ...odd }),
    );
    t.strictSame(savedFilters[other], { Late: unassigned });
    t.strictSame(await keep({ [other]: { Late: null, 'Never was': null } }), {
      [projectId]: savedFilters[projectId],
    });
  },
);

t.test('saved filters are limited and validated', async t => {
  const { person, projectId } = await skein.tenant();
  const refuse = async (savedFilters: object): Promise<string | undefined> => {
    const { details } = await change(person, { savedFilters });
    return (details as { issues?: { path: string }[] } | undefined)?.issues?.[0]?.path;
  };
  const of = (named: object): object => ({ [projectId]: named });
  const many = (count: number, prefix = ''): object =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`${prefix}${index}`, late]));
  const field = `/body/savedFilters/${projectId}`;
  for (const [named, path] of [
    [{ Late: { ...late, queue: 'all' } }, `${field}/Late/queue`],
    [{ Late: { ...late, filters: { q: 'x' } } }, `${field}/Late/filters/q`],
    [{ Late: { ...late, filters: { tag: ['a b'] } } }, `${field}/Late/filters/tag/0`],
    [{ Late: { queue: 'mine' } }, `${field}/Late/filters`],
    [{ Late: { ...late, more: 1 } }, `${field}/Late/more`],
    [{ '': late }, field],
    [{ ' ': late }, field],
    [{ ['x'.repeat(61)]: late }, field],
    [many(51), field],
  ] as const) {
    t.match(await refuse(of(named)), path, JSON.stringify(named).slice(0, 100));
  }
  t.match(await refuse({ nothing: { Late: late } }), '/body/savedFilters');
  t.equal(await refuse(of({ ...many(49), ['x'.repeat(60)]: late })), undefined);
  t.equal(await refuse(of({ more: late })), '/body/savedFilters', 'a project has 50');
  t.equal(await refuse(of({ more: late, 0: null })), undefined, 'another makes room');
  for (let index = 1; index < 10; index++)
    t.equal(await refuse({ [`prj_${index}`]: many(50) }), undefined, `project ${index}`);
  t.equal(await refuse({ prj_10: { more: late } }), '/body/savedFilters', 'a user has 500');
});

t.test('colleagues see the name and the colour', async t => {
  const tenant = await skein.tenant();
  const { person, projectId, workspaceId, userId } = tenant;
  await change(person, { displayName: 'Ada', avatarColor: 'teal' });
  const seen = { userId, displayName: 'Ada', avatarColor: 'teal' };
  const members = await person.get<ListOf<ListedConsoleMember>>('listConsoleMembers', {
    params: { projectId },
  });
  t.match(members.data, [{ ...seen, projectId, role: 'project_owner' }]);
  const inWorkspace = await person.get<ListOf<WorkspaceMember>>('listMembers', { params: { workspaceId } });
  t.match(inWorkspace.data, [{ ...seen, workspaceId, role: 'owner' }]);
  const one = await person.get<WorkspaceMember>('getMember', { params: { workspaceId, userId } });
  t.match(one, seen);
});
