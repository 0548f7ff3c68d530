import type { authOperations } from '../../../protocol/operations/auth.ts';
import { Client, type Reply } from '../../node/client.ts';
import { signUp } from '../../node/tenant.ts';
import { startTestDatabase } from '../../support/database.ts';
import { NodeProcess } from '../../support/node-process.ts';
import type { ScenariosOf } from '../scenario.ts';
import { newAddress, type Place, type World } from '../world.ts';

const password = 'correct horse battery';

/** Somebody who has just signed up, and the refresh cookie that they were given. */
async function newcomer(world: World) {
  const email = newAddress();
  const reply = await world.anybody.ask<{ accessToken: string }>('signUp', { body: { email, password } });
  const cookie = String(reply.headers['set-cookie']).split(';')[0] ?? '';
  const person = new Client(world.line, reply.body.accessToken);
  const { userId } = await person.get<{ userId: string }>('me');
  return { email, person, userId, cookie: { cookie } };
}

async function newcomerWithoutWorkspace(world: World) {
  const someone = await newcomer(world);
  await world.database.query('delete from workspace_members where user_id = $1', [someone.userId]);
  return someone;
}

async function verifyToken(world: World): Promise<{ userId: string; token: string }> {
  const { email, userId } = await newcomer(world);
  return { userId, token: await world.mailed(email, 'verify') };
}

async function resetToken(world: World): Promise<{ userId: string; token: string }> {
  const { email, userId } = await newcomer(world);
  await world.anybody.get('forgotPassword', { body: { email } });
  return { userId, token: await world.mailed(email, 'reset') };
}

async function invitation({ tenant, world }: Place, email = newAddress()) {
  const { invitationId } = await tenant.person.get<{ invitationId: string }>('createInvitation', {
    params: { workspaceId: tenant.workspaceId },
    body: { email },
  });
  return { invitationId, email, token: await world.mailed(email, 'join') };
}

/** Its time is up. */
async function lapse(world: World, userId: string): Promise<void> {
  await world.database.query(
    `update email_tokens set expires_at = now() - interval '1 s' where user_id = $1`,
    [userId],
  );
}

/** The answer of a node that takes nobody in. */
async function askClosedNode(world: World): Promise<Reply<unknown>> {
  const ends: (() => Promise<void>)[] = [];
  const ending = { teardown: (end: () => Promise<void>) => ends.push(end) };
  try {
    const { url } = await startTestDatabase(ending);
    const node = await NodeProcess.make(ending, { DATABASE_URL: url, SIGNUP: 'disabled' });
    await node.start();
    const text = JSON.stringify({ email: newAddress(), password });
    const { agent } = world.line;
    const line = { ...world.line, url: node.url, agent, overhear: () => undefined };
    return await new Client(line).send('POST', '/v1/studio/auth/signup', { text });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

export const accountScenarios: ScenariosOf<typeof authOperations> = {
  signUp: {
    request: () => ({ body: { email: newAddress(), password } }),
    variants: [() => ({ body: { email: newAddress(), password, workspaceName: 'Acme' } })],
    refusals: {
      'svc/auth/signup_disabled': askClosedNode,
      'svc/auth/email_in_use': async world => {
        const { email } = world.foreign.tenant;
        return { by: world.anybody, asked: { body: { email, password } } };
      },
      'svc/auth/email_domain_not_allowed': async world => ({
        by: world.anybody,
        asked: { body: { email: 'someone@mailinator.com', password } },
      }),
    },
  },
  login: {
    request: async ({ world }) => ({ body: { email: (await newcomer(world)).email, password } }),
    refusals: {
      'svc/auth/invalid_credentials': async world => ({
        by: world.anybody,
        asked: { body: { email: newAddress(), password } },
      }),
      'svc/auth/no_workspace': async world => {
        const { email } = await newcomerWithoutWorkspace(world);
        return { by: world.anybody, asked: { body: { email, password } } };
      },
    },
  },
  refresh: {
    request: async ({ world }) => ({ headers: (await newcomer(world)).cookie }),
    refusals: {
      'svc/auth/missing_credentials': async world => ({ by: world.anybody, asked: {} }),
      'svc/auth/invalid_token': async world => ({
        by: world.anybody,
        asked: { headers: { cookie: 'svc_refresh=nobody.knows' } },
      }),
      'svc/auth/expired_token': async world => {
        const { userId, cookie } = await newcomer(world);
        await world.database.query(
          `update sessions set idle_expires_at = now() - interval '1 s' where user_id = $1`,
          [userId],
        );
        return { by: world.anybody, asked: { headers: cookie } };
      },
      'svc/auth/no_workspace': async world => {
        const { cookie } = await newcomerWithoutWorkspace(world);
        return { by: world.anybody, asked: { headers: cookie } };
      },
    },
  },
  logout: {
    request: async ({ world }) => ({ headers: (await newcomer(world)).cookie }),
    variants: [() => ({})],
    refusals: {},
  },
  me: {
    request: () => ({}),
    refusals: {
      'svc/auth/no_workspace': async world => ({
        by: (await newcomerWithoutWorkspace(world)).person,
        asked: {},
      }),
    },
  },
  verifyEmail: {
    request: async ({ world }) => ({ body: { token: (await verifyToken(world)).token } }),
    refusals: {
      'svc/auth/invalid_token': async world => ({ by: world.anybody, asked: { body: { token: 'unknown' } } }),
      'svc/auth/expired_token': async world => {
        const { userId, token } = await verifyToken(world);
        await lapse(world, userId);
        return { by: world.anybody, asked: { body: { token } } };
      },
    },
  },
  resendVerification: {
    request: () => ({}),
    by: async ({ world }) => (await newcomer(world)).person,
    refusals: {},
  },
  forgotPassword: {
    request: ({ tenant }) => ({ body: { email: tenant.email } }),
    variants: [() => ({ body: { email: newAddress() } }), () => ({ body: { email: '' } })],
    refusals: {},
  },
  resetPassword: {
    request: async ({ world }) => ({ body: { token: (await resetToken(world)).token, password } }),
    refusals: {
      'svc/auth/invalid_token': async world => ({
        by: world.anybody,
        asked: { body: { token: 'unknown', password } },
      }),
      'svc/auth/expired_token': async world => {
        const { userId, token } = await resetToken(world);
        await lapse(world, userId);
        return { by: world.anybody, asked: { body: { token, password } } };
      },
    },
  },
  acceptInvitation: {
    request: async place => ({ body: { token: (await invitation(place)).token, password } }),
    refusals: {
      'svc/auth/insufficient_scope': async world => {
        const { token } = await invitation(world.sandbox);
        return { by: world.stranger, asked: { body: { token } } };
      },
      'svc/runtime/not_found': async world => ({
        by: world.anybody,
        asked: { body: { token: 'unknown', password } },
      }),
      'svc/auth/login_required': async world => {
        const { email } = await signUp(world.line);
        const { token } = await invitation(world.sandbox, email);
        return { by: world.anybody, asked: { body: { token } } };
      },
      'svc/auth/expired_token': async world => {
        const { token, invitationId } = await invitation(world.sandbox);
        await world.database.query(
          `update invitations set expires_at = now() - interval '1 s' where invitation_id = $1`,
          [invitationId],
        );
        return { by: world.anybody, asked: { body: { token, password } } };
      },
      'svc/auth/email_domain_not_allowed': async world => {
        const { token, invitationId } = await invitation(world.sandbox);
        // The domain was allowed when the invitation was made.
        const address = `${invitationId}@mailinator.com`;
        await world.database.query(
          `update invitations set email = $2, email_key = $2 where invitation_id = $1`,
          [invitationId, address],
        );
        return { by: world.anybody, asked: { body: { token, password } } };
      },
    },
  },
};
