/** The Console stream on a real PostgreSQL: who gets in, who has to leave, and that nothing is lost or repeated. */
import fc from '../../support/fuzz.ts';
import t from 'tap';
import { Environment } from '../../../storage/entities/tenancy.ts';
import type { EventName } from '../../../protocol/events.ts';
import { newId } from '../../../protocol/ids.ts';
import { startTestDatabase } from '../../support/database.ts';
import { ConsoleNode, happening, type ListBody, type Tenant } from '../handlers/console-fixture.ts';
import { type Client, ManualClock, numbers } from './stream-fixture.ts';
import { auditContext, freshKey, origin } from '../../support/accounts.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import { ProjectMembers } from '../../../storage/tenancy/project-members.ts';
import { tenancyRules } from '../../../gateway/tenancy/rules.ts';

const { database } = await startTestDatabase(t);

const createTicket = async (node: ConsoleNode, projectId: string, token: string): Promise<string> => {
  const { body } = await node.call<{ ticket: string }>(
    'POST',
    `/console/projects/${projectId}/events/tickets`,
    token,
  );
  return body.ticket;
};

t.test('admission to the stream', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const other = await node.tenant();
  const colleague = await node.person();
  await node.join(tenant, colleague);
  const operator = await node.person();
  await node.join(tenant, operator, 'viewer');
  const reader = await node.key(tenant, ['threads:read', 'messages:read']);
  const wildcard = await node.key(tenant, ['*']);
  const half = await node.key(tenant, ['threads:read']);
  const foreign = await node.key(other, ['*']);

  const outcome = async (by: { bearer?: string; ticket?: string }): Promise<number> => {
    const client = await node.connect(projectId, by).opened();
    return client.refused ?? 101;
  };
  t.equal(await outcome({ bearer: founder.token }), 101, 'the founder, as project_owner');
  t.equal(await outcome({ bearer: operator.token }), 101, 'a viewer of the Console');
  t.equal(await outcome({ bearer: colleague.token }), 403, 'a member of the workspace alone');
  t.equal(await outcome({ bearer: other.founder.token }), 404, 'a stranger');
  t.equal(await outcome({ bearer: reader.secret }), 101, 'a key with both scopes');
  t.equal(await outcome({ bearer: wildcard.secret }), 101, 'a key with all scopes');
  t.equal(await outcome({ bearer: half.secret }), 403, 'a key with one scope');
  t.equal(await outcome({ bearer: foreign.secret }), 404, "another project's key");
  t.equal(await outcome({}), 401, 'nobody');
  t.equal(await outcome({ bearer: 'svc_test_nonsense' }), 401);
  t.equal(await outcome({ bearer: 'a.b.c' }), 401);
  t.equal(await outcome({ ticket: 'nonsense' }), 401);
});

t.test('a ticket opens one socket of its project within 30 seconds', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const other = await node.tenant();
  const { status, body, headers } = await node.call(
    'POST',
    `/console/projects/${projectId}/events/tickets`,
    founder.token,
  );
  t.equal(status, 200);
  t.match(body, { ticket: /^[\w-]{43}$/, expiresIn: 30 });
  t.equal(headers.get('cache-control'), 'no-store');
  const ticket = String(body['ticket']);

  t.equal((await node.connect(other.projectId, { ticket }).opened()).refused, 401, 'not another project');
  const both = [node.connect(projectId, { ticket }), node.connect(projectId, { ticket })];
  await Promise.all(both.map(client => client.opened()));
  t.same(both.map(client => client.refused).sort(), [401, undefined], 'two at once: one gets in');

  const late = await createTicket(node, projectId, founder.token);
  await database.query(
    `update stream_tickets set expires_at = now() - interval '1 ms' where used_at is null`,
  );
  t.equal((await node.connect(projectId, { ticket: late }).opened()).refused, 401, 'expired');

  const stored = await database.query<{ hash: Buffer }>('select ticket_hash as hash from stream_tickets');
  t.equal(stored.length, 2);
  t.notOk(
    stored.some(({ hash }) => hash.toString('base64url') === ticket),
    'not kept in the clear',
  );
});

t.test('tickets are for people with a membership', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const key = await node.key(tenant, ['*']);
  const path = `/console/projects/${projectId}/events/tickets`;
  t.match(await node.call('POST', path, key.secret), {
    status: 403,
    body: { error: 'svc/auth/insufficient_scope' },
  });
  const colleague = await node.person();
  await node.join(tenant, colleague);
  t.match(await node.call('POST', path, colleague.token), {
    status: 403,
    body: { error: 'svc/console/forbidden' },
  });

  const ticket = await createTicket(node, projectId, founder.token);
  await database.query('delete from console_members where project_id = $1', [projectId]);
  t.equal((await node.connect(projectId, { ticket }).opened()).refused, 403, 'membership lost meanwhile');
});

t.test('where a second factor is demanded, a ticket opens the stream to whoever has one', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, workspaceId, founder } = tenant;
  const operator = await node.person();
  await node.join(tenant, operator, 'agent');
  const tickets = [
    await createTicket(node, projectId, founder.token),
    await createTicket(node, projectId, operator.token),
  ];
  await database.query('update workspaces set requires_second_factor = true where workspace_id = $1', [
    workspaceId,
  ]);
  node.access.invalidateWorkspace(workspaceId);
  await database.query(
    `insert into second_factors (user_id, secret, confirmed_at, last_step, created_at, updated_at)
     values ($1, 'sealed', now(), 0, now(), now()), ($2, 'sealed', null, 0, now(), now())`,
    [founder.userId, operator.userId],
  );
  const [theirs, without] = tickets.map(ticket => node.connect(projectId, { ticket }));
  t.match(await theirs?.resume(), { type: 'resumed' });
  await without?.opened();
  t.equal(without?.refused, 403, 'one that was not set up to its end is none');
  await node.commit(happening(tenant));
  await theirs?.through(1);
});

t.test('a member who is removed is shown out at once', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const operator = await node.person();
  await node.join(tenant, operator, 'agent');
  const theirs = node.connect(projectId, { bearer: operator.token });
  const ours = node.connect(projectId, { bearer: founder.token });
  await theirs.resume();
  await ours.resume();
  const path = `/console/projects/${projectId}/members/${operator.userId}`;
  t.equal((await node.call('DELETE', path, founder.token)).status, 204);
  t.equal(await theirs.end(), 4003);
  await ours.through(1);
  t.match(ours.frames[1]?.event, {
    eventName: 'project.member.removed',
    data: {
      environmentId: tenant.sandbox,
      actor: { type: 'user', id: founder.userId },
      member: { userId: operator.userId },
    },
  });
  t.equal((await node.connect(projectId, { bearer: operator.token }).opened()).refused, 403);
});

t.test('a live stream shows what its reader may read, and ends when roles change', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const operator = await node.person();
  await node.join(tenant, operator, 'agent');
  await database.query('delete from workspace_members where user_id = $1', [operator.userId]);
  const key = await node.key(tenant, ['threads:read', 'messages:read']);
  const [all, some, few] = [founder.token, operator.token, key.secret].map(bearer =>
    node.connect(projectId, { bearer }),
  ) as [Client, Client, Client];
  for (const client of [all, some, few]) await client.resume();
  const since = all.frames[0]?.seq ?? 0;
  const names: EventName[] = [
    'byok.credential.created',
    'agent.lifecycle.created',
    'workspace.invitation.created',
    'thread.message.received',
  ];
  await node.commit(...names.map(eventName => ({ ...happening(tenant), eventName })));
  t.same(await all.through(since + 4), [since + 1, since + 2, since + 3, since + 4]);
  t.same(await some.through(since + 4), [since + 2, since + 4], 'an agent of the Console');
  t.same(await few.through(since + 4), [since + 4], 'a key');

  await database.query(`update console_members set role = 'viewer' where user_id = $1`, [operator.userId]);
  await node.commit({ ...happening(tenant), eventName: 'project.member.upserted' });
  t.equal(await some.end(), 4004);
  t.equal(all.closed, undefined, "another member's roles are as they were");
  t.equal((await node.connect(projectId, { bearer: operator.token }).opened()).refused, undefined);
});

t.test('a role in the project that is given or taken away ends the stream of its user at once', async t => {
  // Time stands still: nothing but the events has the roles looked up again.
  const clock = new ManualClock();
  await clock.advance(Date.now() - clock.now());
  const node = await ConsoleNode.start(t, database, clock);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const operator = await node.person();
  await node.join(tenant, operator, 'agent');
  const cursors = new Cursors(new KeyRing(freshKey()));
  const { access } = node;
  const roles = new ProjectMembers({ db: database, cursors, access, rules: tenancyRules });
  const change = { projectId, userId: operator.userId, ...auditContext(founder.userId) };
  const others = node.connect(projectId, { bearer: founder.token });
  await others.resume();
  const first = node.connect(projectId, { bearer: operator.token });
  await first.resume();
  await roles.upsert({ ...change, role: 'developer' });
  t.equal(await first.end(), 4004);
  const second = node.connect(projectId, { bearer: operator.token });
  await second.resume();
  await roles.remove(change);
  t.equal(await second.end(), 4004);
  await others.through(2);
  t.same(
    others.frames.slice(1).map(frame => frame.event?.eventName),
    ['project.role.upserted', 'project.role.removed'],
  );
  t.equal(others.closed, undefined);
});

t.test('a key or a session that is revoked is shown out', async t => {
  const clock = new ManualClock();
  // Tokens are made by the same clock.
  await clock.advance(Date.now() - clock.now());
  const node = await ConsoleNode.start(t, database, clock);
  const tenant = await node.tenant();
  const { projectId, founder } = tenant;
  const key = await node.key(tenant, ['threads:read', 'messages:read']);
  const byKey = node.connect(projectId, { bearer: key.secret });
  await byKey.resume();
  const bySession = node.connect(projectId, { bearer: founder.token });
  await bySession.resume();
  const byTicket = node.connect(projectId, { ticket: await createTicket(node, projectId, founder.token) });
  await byTicket.resume();

  await node.apiKeys.revoke({ projectId, apiKeyId: key.apiKeyId, ...auditContext(founder.userId) });
  t.equal(await byKey.end(), 4001, 'at once: the revocation is an event');
  await node.sessions.revoke(founder.sessionId, Date.now(), origin);
  await clock.advance(10_000);
  t.same(await Promise.all([bySession.end(), byTicket.end()]), [4001, 4001]);
});

t.test('a socket by token ends with the token, one by ticket stays open', async t => {
  const clock = new ManualClock();
  await clock.advance(Date.now() - clock.now());
  const node = await ConsoleNode.start(t, database, clock);
  const { projectId, founder } = await node.tenant();
  const byToken = node.connect(projectId, { bearer: founder.token });
  const byTicket = node.connect(projectId, { ticket: await createTicket(node, projectId, founder.token) });
  for (const client of [byToken, byTicket]) {
    client.socket.on('message', data => {
      if (String(data).includes('"ping"')) client.send({ type: 'pong' });
    });
    await client.resume();
  }
  // 900 seconds, beat by beat, so that the answers get through.
  for (let beat = 1; beat <= 37; beat++) {
    await clock.advance(25_000);
    await byTicket.until(({ frames }) => frames.filter(({ type }) => type === 'ping').length >= beat);
    byTicket.send({ type: 'ping' });
    await byTicket.until(({ frames }) => frames.filter(({ type }) => type === 'pong').length >= beat);
  }
  t.equal(await byToken.end(), 4001);
  t.equal(byTicket.closed, undefined);
});

/** A production environment of the tenant's project. */
async function createProduction({ projectId }: Tenant): Promise<string> {
  const environmentId = newId('environment');
  const stamps = { createdAt: new Date(), updatedAt: new Date() };
  await database
    .em()
    .insert(Environment, { environmentId, projectId, kind: 'production', name: 'production', ...stamps });
  return environmentId;
}

t.test('an API key is shown its environment alone', async t => {
  const node = await ConsoleNode.start(t, database);
  const tenant = await node.tenant();
  const { projectId } = tenant;
  const production = await createProduction(tenant);
  const key = await node.key(tenant, ['threads:read', 'messages:read']);
  await node.commit(happening(tenant), happening(tenant, {}, production), happening(tenant));
  const { body } = await node.call<ListBody<{ seq: number }>>(
    'GET',
    `/console/projects/${projectId}/events`,
    key.secret,
  );
  // The key's own creation is the first event of the sandbox, which a key does not see.
  t.same(
    body.data.map(({ seq }) => seq),
    [2, 4],
  );
  const client = node.connect(projectId, { bearer: key.secret });
  const { epoch } = await client.resume();
  await node.commit(happening(tenant, {}, production), happening(tenant));
  t.same(await client.through(6), [6]);
  const again = node.connect(projectId, { bearer: key.secret });
  await again.resume({ epoch: epoch ?? '', seq: 1 });
  t.same(await again.through(6), [2, 4, 6]);
});

t.test(
  'production is hidden from a member whose e-mail is not verified, on the socket and in the list',
  async t => {
    const node = await ConsoleNode.start(t, database);
    const tenant = await node.tenant();
    const { projectId } = tenant;
    const production = await createProduction(tenant);
    const member = await node.person();
    await node.join(tenant, member, 'agent');
    await database.query('update users set email_verified_at = null where user_id = $1', [member.userId]);
    await node.commit(happening(tenant), happening(tenant, {}, production), happening(tenant));

    const path = `/console/projects/${projectId}/events`;
    const seen = async (token: string) =>
      (await node.call<ListBody<{ seq: number }>>('GET', path, token)).body.data.map(({ seq }) => seq);
    t.same(await seen(member.token), [1, 3]);
    t.same(await seen(tenant.founder.token), [1, 2, 3]);
    const ticket = await createTicket(node, projectId, member.token);
    for (const by of [{ bearer: member.token }, { ticket }]) {
      const client = node.connect(projectId, by);
      const hello = node.connect(projectId, { bearer: tenant.founder.token });
      const { epoch } = await hello.resume();
      await client.resume({ epoch: epoch ?? '', seq: 0 });
      t.same(await client.through(3), [1, 3]);
    }
  },
);

t.test(
  'random disconnects, lost, late and repeated news: every client sees every number once, in order',
  async t => {
    const node = await ConsoleNode.start(t, database);
    const tenant = await node.tenant();
    const { projectId, founder } = tenant;
    const head = async (): Promise<{ epoch: string; seq: number }> => {
      const [row] = await database.query<{ epoch: string; seq: number }>(
        'select epoch, last_seq as seq from project_streams where project_id = $1',
        [projectId],
      );
      if (row === undefined) throw new Error('no stream');
      return row;
    };

    /** One client that comes and goes: what it has seen over all its sockets. */
    class RoamingClient {
      readonly seen: number[] = [];
      #cursor: { epoch: string; seq: number };
      #client = node.connect(projectId, { bearer: founder.token });
      #taken = 0;

      constructor(from: { epoch: string; seq: number }) {
        this.#cursor = from;
      }

      async arrive(): Promise<void> {
        const answer = await this.#client.resume(this.#cursor);
        if (answer.type !== 'resumed') throw new Error(`answered ${JSON.stringify(answer)}`);
      }

      #take(): void {
        const seqs = this.#client.seqs;
        for (; this.#taken < seqs.length; this.#taken++) {
          const seq = seqs[this.#taken] ?? 0;
          this.seen.push(seq);
          this.#cursor = { ...this.#cursor, seq };
        }
      }

      /** Cuts the connection in the middle of whatever it was receiving, and comes back. */
      async cut(): Promise<void> {
        this.#take();
        this.#client.socket.removeAllListeners('message');
        this.#client.socket.terminate();
        this.#client = node.connect(projectId, { bearer: founder.token });
        this.#taken = 0;
        await this.arrive();
      }

      async through(seq: number): Promise<void> {
        if (this.#cursor.seq < seq) await this.#client.through(seq);
        this.#take();
      }

      leave(): void {
        this.#client.socket.terminate();
      }
    }

    const fates = fc.constantFrom('told', 'told', 'told', 'lost', 'twice', 'late');
    const step = fc.record({
      events: fc.integer({ min: 0, max: 4 }),
      fate: fates,
      cut: fc.integer({ min: -3, max: 2 }),
    });
    const property = fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), async steps => {
      const from = await head();
      const wanderers = [new RoamingClient(from), new RoamingClient(from), new RoamingClient(from)];
      await Promise.all(wanderers.map(wanderer => wanderer.arrive()));
      const held: (() => void)[] = [];
      for (const { events, fate, cut } of steps) {
        node.relay = (news, tell) => {
          for (const event of news) {
            if (fate === 'told' || fate === 'twice') tell(event);
            if (fate === 'twice') tell(event);
            if (fate === 'late') held.push(() => tell(event));
          }
        };
        if (events > 0) await node.commit(...numbers(events).map(n => happening(tenant, { n })));
        await wanderers[cut]?.cut();
        if (held.length > 6)
          held
            .splice(0)
            .reverse()
            .forEach(tell => tell());
      }
      node.relay = (news, tell) => news.forEach(tell);
      await node.commit(happening(tenant));
      const { seq: last } = await head();
      for (const wanderer of wanderers) {
        await wanderer.through(last);
        wanderer.leave();
        t.strictSame(wanderer.seen, numbers(last, from.seq + 1));
      }
      return true;
    });
    await fc.assert(property, { numRuns: 25 });
  },
);
