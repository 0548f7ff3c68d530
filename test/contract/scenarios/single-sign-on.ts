import type { ssoOperations } from '../../../protocol/operations/sso.ts';
import type { Client } from '../../node/client.ts';
import { clientId, clientSecret } from '../../support/oidc-provider/index.ts';
import { showCode } from '../../support/totp.ts';
import type { ContractFixture, TenantEnvironment } from '../contract-fixture.ts';
import { anonymously, type ScenariosOf } from '../scenario.ts';
import { newcomer, password, verifiedNewcomer } from './accounts.ts';

/** A workspace, and who administers it. */
interface Administered {
  readonly fixture: ContractFixture;
  readonly person: Client;
  readonly workspaceId: string;
}

/** One for each workspace, so that no two have the same. */
const getDomain = ({ workspaceId }: Pick<Administered, 'workspaceId'>): string =>
  `${workspaceId.replace('_', '-')}.test`;

const toAdministered = ({ fixture, tenant: { person, workspaceId } }: TenantEnvironment): Administered => ({
  fixture,
  person,
  workspaceId,
});

/** The workspace of somebody who has just signed up, and has verified their address. */
async function fresh(fixture: ContractFixture, signUp = verifiedNewcomer): Promise<Administered> {
  const { person } = await signUp(fixture);
  const { workspaceId } = await person.get<{ workspaceId: string }>('me');
  return { fixture, person, workspaceId };
}

const inWorkspace = ({ workspaceId }: Administered) => ({ params: { workspaceId } });
const atDomain = (place: Administered) => ({
  params: { workspaceId: place.workspaceId, domain: getDomain(place) },
});

async function provided(place: Administered): Promise<Administered> {
  const { issuer } = await place.fixture.identityProvider();
  await place.person.get('setSingleSignOn', {
    ...inWorkspace(place),
    body: { issuer, clientId, clientSecret },
  });
  return place;
}

async function asked(place: Administered): Promise<Administered> {
  await provided(place);
  const { record } = await place.person.get<{ record: { name: string; value: string } }>('addSsoDomain', {
    ...inWorkspace(place),
    body: { domain: getDomain(place) },
  });
  place.fixture.records.set(record.name, record.value);
  return place;
}

async function proven(place: Administered): Promise<Administered> {
  await asked(place);
  await place.person.get('proveSsoDomain', atDomain(place));
  return place;
}

let people = 0;

/** What a provider has sent back. */
async function returned(fixture: ContractFixture, as?: string) {
  const place = await proven(await fresh(fixture));
  const email = `person-${++people}@${getDomain(place)}`;
  const { flow, url } = await fixture.anonymous.get<{ flow: string; url: string }>('beginSingleSignOn', {
    body: { email },
  });
  const provider = await fixture.identityProvider();
  const back = await provider.signIn(url, as ?? email);
  const [code = '', state = '', issuer = ''] = ['code', 'state', 'iss'].map(
    name => back.searchParams.get(name) ?? '',
  );
  return { place, email, body: { flow, code, state, issuer } };
}

export const ssoScenarios: ScenariosOf<typeof ssoOperations> = {
  getSingleSignOn: { request: env => inWorkspace(toAdministered(env)), refusals: {} },
  setSingleSignOn: {
    verifiedOnly: true,
    request: async env => {
      const { issuer } = await env.fixture.identityProvider();
      return { ...inWorkspace(toAdministered(env)), body: { issuer, clientId, clientSecret } };
    },
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const place = await fresh(fixture);
        const { issuer } = await fixture.identityProvider();
        return { by: place.person, asked: { ...inWorkspace(place), body: { issuer, clientId } } };
      },
      'svc/auth/email_not_verified': async fixture => {
        const place = await fresh(fixture, newcomer);
        const { issuer } = await fixture.identityProvider();
        return {
          by: place.person,
          asked: { ...inWorkspace(place), body: { issuer, clientId, clientSecret } },
        };
      },
    },
  },
  removeSingleSignOn: { request: env => inWorkspace(toAdministered(env)), refusals: {} },
  addSsoDomain: {
    verifiedOnly: true,
    request: async env => {
      const place = await provided(toAdministered(env));
      return { ...inWorkspace(place), body: { domain: getDomain(place) } };
    },
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const place = await fresh(fixture);
        return { by: place.person, asked: { ...inWorkspace(place), body: { domain: getDomain(place) } } };
      },
      'svc/auth/email_not_verified': async fixture => {
        const place = await fresh(fixture, newcomer);
        return { by: place.person, asked: { ...inWorkspace(place), body: { domain: getDomain(place) } } };
      },
    },
  },
  proveSsoDomain: {
    verifiedOnly: true,
    request: async env => atDomain(await asked(toAdministered(env))),
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const place = await asked(await fresh(fixture));
        fixture.records.delete(`_skein-sso.${getDomain(place)}`);
        return { by: place.person, asked: atDomain(place) };
      },
      'svc/auth/email_not_verified': async fixture => {
        const place = await fresh(fixture, newcomer);
        return { by: place.person, asked: atDomain(place) };
      },
    },
  },
  updateSsoDomain: {
    verifiedOnly: true,
    request: async env => ({ ...atDomain(await asked(toAdministered(env))), body: { required: false } }),
    refusals: {
      'svc/runtime/conflict': async fixture => {
        const place = await asked(await fresh(fixture));
        return { by: place.person, asked: { ...atDomain(place), body: { required: true } } };
      },
      'svc/auth/email_not_verified': async fixture => {
        const place = await fresh(fixture, newcomer);
        return { by: place.person, asked: { ...atDomain(place), body: { required: true } } };
      },
    },
  },
  removeSsoDomain: { request: async env => atDomain(await asked(toAdministered(env))), refusals: {} },
  beginSingleSignOn: {
    request: async env => ({ body: { email: `ann@${getDomain(await proven(toAdministered(env)))}` } }),
    refusals: {
      'svc/runtime/not_found': anonymously({ body: { email: 'ann@unproven.test' } }),
      'svc/auth/sso_failed': async fixture => {
        const place = await proven(await fresh(fixture));
        await fixture.database.query(
          `update sso_connections set issuer = 'http://127.0.0.1:1' where workspace_id = $1`,
          [place.workspaceId],
        );
        return { by: fixture.anonymous, asked: { body: { email: `ann@${getDomain(place)}` } } };
      },
    },
  },
  finishSingleSignOn: {
    request: async ({ fixture }) => ({ body: (await returned(fixture)).body }),
    refusals: {
      'svc/auth/sso_failed': async fixture => ({
        by: fixture.anonymous,
        asked: { body: { ...(await returned(fixture)).body, state: 'another' } },
      }),
      'svc/auth/invalid_token': anonymously({ body: { flow: 'unknown', code: 'any', state: 'any' } }),
      'svc/auth/expired_token': async fixture => {
        const { body, place } = await returned(fixture);
        await fixture.database.query(
          `update sso_flows set expires_at = now() - interval '1 s' where workspace_id = $1`,
          [place.workspaceId],
        );
        return { by: fixture.anonymous, asked: { body } };
      },
      'svc/auth/second_factor_required': async fixture => {
        const { body, email } = await returned(fixture);
        const { person, userId } = await verifiedNewcomer(fixture);
        const { secret } = await person.get<{ secret: string }>('enrolSecondFactor', { body: { password } });
        await person.get('confirmSecondFactor', { body: { code: showCode(secret, Date.now()) } });
        await fixture.database.query(
          'update users set email = $1, email_key = $1, email_verified_at = now() where user_id = $2',
          [email, userId],
        );
        return { by: fixture.anonymous, asked: { body } };
      },
      'svc/auth/email_domain_not_allowed': async fixture => ({
        by: fixture.anonymous,
        asked: { body: (await returned(fixture, 'somebody@mailinator.com')).body },
      }),
    },
  },
};
