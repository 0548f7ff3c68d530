/** The identity provider of a workspace, and signing in by it. */
import { invalid, notFound, ServiceError } from '../../protocol/errors.ts';
import type { ssoOperations } from '../../protocol/operations/index.ts';
import type { SingleSignOn, SsoDomain } from '../../protocol/resources/index.ts';
import type { Log } from '../../runtime/observability/index.ts';
import { SecondFactorRequired } from '../../storage/accounts/index.ts';
import type {
  SsoDomainState,
  SsoFlows,
  SsoSettings,
  SsoSignIn,
  StartedFlow,
} from '../../storage/sso/index.ts';
import type { Authenticator, SignUpPolicy } from '../auth/index.ts';
import type { Call, Handlers } from '../pipeline/index.ts';
import { type DomainProofs, type IdentityProviders, ProviderRefused, toDomain } from '../sso/index.ts';
import { getClient, refuseFirstStep, signIn, type SignInServices } from './auth.ts';
import { createUserAuditContext, getRequestOrigin, requireUser, requireVerified } from './caller.ts';

export interface SsoServices extends SignInServices {
  readonly settings: SsoSettings;
  readonly flows: SsoFlows;
  readonly ssoSignIn: SsoSignIn;
  readonly providers: IdentityProviders;
  readonly proofs: DomainProofs;
  readonly policy: SignUpPolicy;
  readonly authenticator: Pick<Authenticator, 'forgetUser'>;
  readonly log: Pick<Log, 'warn'>;
}

type ProviderOperations = Pick<
  typeof ssoOperations,
  'getSingleSignOn' | 'setSingleSignOn' | 'removeSingleSignOn'
>;
type AuditedCall = Pick<Call, 'caller' | 'requestId' | 'address' | 'now'>;
type BegunBy = Pick<StartedFlow, 'workspaceId' | 'userId'>;
type SigningIn = Pick<Call, 'requestId' | 'address' | 'now'>;
type LoginOperations = Pick<typeof ssoOperations, 'beginSingleSignOn' | 'finishSingleSignOn'>;

export function ssoHandlers(services: SsoServices): Handlers<typeof ssoOperations> {
  return { ...providerHandlers(services), ...domainHandlers(services), ...loginHandlers(services) };
}

const toChange = (call: AuditedCall & { readonly params: { readonly workspaceId: string } }) => ({
  workspaceId: call.params.workspaceId,
  ...createUserAuditContext(call),
});

/** Else whoever made an account with somebody else's address would decide who signs in to its workspace. */
const requireOwnAddress = (call: Pick<Call, 'caller'>): void => requireVerified(requireUser(call));

const toResource = (
  proofs: DomainProofs,
  { domain, proof, provenAt, required }: SsoDomainState,
): SsoDomain => ({
  domain,
  record: { name: proofs.getName(domain), type: 'TXT', value: proof },
  provenAt: provenAt?.toISOString() ?? null,
  required,
});

function providerHandlers({ settings, providers, proofs }: SsoServices): Handlers<ProviderOperations> {
  const show = async (workspaceId: string): Promise<SingleSignOn> => {
    const { domains, updatedAt, ...provider } = await settings.find(workspaceId);
    return {
      workspaceId,
      ...provider,
      redirectUri: providers.redirectUri,
      domains: domains.map(each => toResource(proofs, each)),
      updatedAt: updatedAt?.toISOString() ?? null,
    };
  };

  return {
    getSingleSignOn: async call => ({ body: await show(call.params.workspaceId) }),

    setSingleSignOn: async call => {
      requireOwnAddress(call);
      const { workspaceId } = call.params;
      const { issuer, clientId, clientSecret } = call.body;
      const path = '/body/issuer';
      const refusal = providers.getRefusal(issuer);
      if (refusal !== undefined) throw invalid([{ path, message: refusal, code: 'address' }]);
      try {
        // No secret is needed to find out whether it is a provider.
        await providers.check({ workspaceId, issuer, clientId, clientSecret: clientSecret ?? 'none' });
      } catch (error) {
        if (!(error instanceof ProviderRefused)) throw error;
        throw invalid([{ path, message: error.message, code: 'provider' }]);
      }
      await settings.set({ ...toChange(call), issuer, clientId, clientSecret });
      return { body: await show(workspaceId) };
    },

    removeSingleSignOn: async call => {
      await settings.remove(toChange(call));
      return {};
    },
  };
}

function domainHandlers({
  settings,
  proofs,
}: SsoServices): Handlers<Omit<typeof ssoOperations, keyof LoginOperations | keyof ProviderOperations>> {
  return {
    addSsoDomain: async call => {
      requireOwnAddress(call);
      const added = await settings.addDomain(toChange(call), readDomain(call.body.domain));
      return { body: toResource(proofs, added) };
    },

    proveSsoDomain: async call => {
      requireOwnAddress(call);
      const { workspaceId } = call.params;
      const name = toDomain(call.params.domain);
      const { domains } = await settings.find(workspaceId);
      const found = domains.find(({ domain }) => domain === name);
      if (found === undefined) throw notFound();
      if (found.provenAt === null && !(await proofs.isProven(found.domain, found.proof))) {
        throw new ServiceError('svc/runtime/conflict', {
          message: `The record ${proofs.getName(found.domain)} is not there yet, or says something else. New records may take an hour to be seen.`,
        });
      }
      return {
        body: toResource(proofs, await settings.markProven(toChange(call), found.domain, found.proof)),
      };
    },

    updateSsoDomain: async call => {
      requireOwnAddress(call);
      const domain = toDomain(call.params.domain) ?? '';
      return { body: toResource(proofs, await settings.require(toChange(call), domain, call.body.required)) };
    },

    removeSsoDomain: async call => {
      await settings.removeDomain(toChange(call), toDomain(call.params.domain) ?? '');
      return {};
    },
  };
}

function readDomain(text: string): string {
  const domain = toDomain(text);
  if (domain === undefined)
    throw invalid([{ path: '/body/domain', message: 'must be a domain', code: 'domain' }]);
  return domain;
}

function loginHandlers(services: SsoServices): Handlers<LoginOperations> {
  const { flows, providers, ssoSignIn, policy, authenticator, log } = services;
  const signedIn = signIn(services);

  /** The refusal is what is answered, also where the entry cannot be written. */
  const record = async (call: SigningIn, begun: BegunBy, reason: string): Promise<void> => {
    try {
      await ssoSignIn.recordFailure(begun, reason, getRequestOrigin(call), call.now);
    } catch (err) {
      log.warn({ err, workspaceId: begun.workspaceId, reason }, 'a failed sign-in could not be recorded');
    }
  };

  /**
   * What a provider does wrong is told to whoever signs in, and so is every refusal; those who administer the workspace find it in the audit log. A
   * fault of this server is no failed sign-in. For an address of no member nothing is recorded that takes no provider: anybody may begin one.
   */
  const recordRefusals = async <T>(call: SigningIn, begun: BegunBy, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      if (error instanceof ProviderRefused) {
        if (begun.userId !== null || error.hasAnswered) await record(call, begun, error.message);
        throw new ServiceError('svc/auth/sso_failed', { message: error.message });
      }
      if (error instanceof ServiceError && error.http < 500) await record(call, begun, error.message);
      throw error;
    }
  };

  return {
    beginSingleSignOn: async call => {
      const { email } = call.body;
      const provider = await flows.findProvider(email);
      if (provider === undefined) throw notFound('/body/email');
      return recordRefusals(call, provider, async () => {
        const flow = await flows.begin(provider, call.now);
        return { body: { flow, url: await providers.begin(provider, flows.derive(flow), email) } };
      });
    },

    finishSingleSignOn: async call => {
      const { flow, code, state, issuer } = call.body;
      const provider = await flows.take(flow, call.now);
      try {
        return await recordRefusals(call, provider, async () => {
          const email = await providers.finish(provider, flows.derive(flow), { code, state, issuer });
          policy.checkDomain(email);
          const session = await ssoSignIn.signIn(provider, email, getClient(call), call.now);
          // Sessions of whoever had made the account without having the address have ended.
          authenticator.forgetUser(session.userId);
          return await signedIn(session, call.now);
        });
      } catch (error) {
        // The provider has vouched for them: nothing has failed.
        throw error instanceof SecondFactorRequired ? refuseFirstStep(error) : error;
      }
    },
  };
}
