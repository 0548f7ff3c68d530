/** Who may change members and keys, for every combination of roles. */
import t from 'tap';
import { tenancyRules } from '../../../gateway/tenancy/rules.ts';
import { ServiceError } from '../../../protocol/errors.ts';
import type { Roles } from '../../../protocol/operations/grants.ts';
import type { MemberChangeFacts } from '../../../storage/tenancy/rules.ts';

const roles = [undefined, 'owner', 'admin', 'viewer'] as const;

/** The code of the refusal; undefined: it is allowed. */
function getRefusal(rule: () => void): string | undefined {
  try {
    rule();
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return error.code;
    throw error;
  }
}

const changes = roles.flatMap(actingRole =>
  roles.flatMap(memberRole =>
    roles.flatMap(newRole =>
      [true, false].flatMap(isSelf =>
        [true, false].map((isLastOwner): MemberChangeFacts => ({
          actingRole,
          memberRole,
          newRole,
          isSelf,
          isLastOwner,
        })),
      ),
    ),
  ),
);
const allowed = changes.filter(
  facts => getRefusal(() => tenancyRules.requireMemberChange(facts)) === undefined,
);

t.test('a workspace keeps an owner, and only owners make, change or remove owners', async t => {
  t.not(allowed.length, 0);
  for (const facts of allowed) {
    const { actingRole, memberRole, newRole, isLastOwner } = facts;
    t.notOk(isLastOwner, JSON.stringify(facts));
    if (memberRole === 'owner' || newRole === 'owner') t.equal(actingRole, 'owner', JSON.stringify(facts));
  }
});

t.test('everybody else needs an admin, but may leave by themselves', async t => {
  for (const facts of allowed) {
    const { actingRole, newRole, isSelf } = facts;
    if (tenancyRules.isAdmin(actingRole)) continue;
    t.strictSame([actingRole, newRole, isSelf], ['viewer', undefined, true]);
  }
});

t.test('outsiders learn nothing: whatever they ask for is not found', async t => {
  for (const facts of changes.filter(({ actingRole }) => actingRole === undefined)) {
    t.equal(
      getRefusal(() => tenancyRules.requireMemberChange(facts)),
      'svc/runtime/not_found',
    );
  }
  for (const rule of [
    () => tenancyRules.requireAdmin(undefined),
    () => tenancyRules.requireInvitationAdmin(undefined),
    () => tenancyRules.requireDeveloper(undefined),
    () => tenancyRules.requireKeyCreation(undefined, []),
    () => tenancyRules.requireKeyRotation(undefined, []),
  ]) {
    t.equal(getRefusal(rule), 'svc/runtime/not_found');
  }
  t.equal(
    getRefusal(() => tenancyRules.requireConsoleAdmin(undefined)),
    'svc/console/not_found',
  );
});

t.test('whoever may not create a key may not have its secret by rotation either', async t => {
  const people = [undefined, 'owner', 'admin', 'developer', 'viewer'].flatMap(studioRole =>
    [undefined, 'project_owner', 'agent', 'viewer'].map(
      consoleRole => ({ studioRole, consoleRole }) as Roles,
    ),
  );
  for (const person of people) {
    for (const scopes of [[], ['threads:read'], ['*']] as const) {
      const create = getRefusal(() => tenancyRules.requireKeyCreation(person, scopes));
      const rotate = getRefusal(() => tenancyRules.requireKeyRotation(person, scopes));
      t.equal(create === undefined, rotate === undefined, JSON.stringify({ person, scopes }));
    }
  }
});
