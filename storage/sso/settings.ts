/**
 * The identity provider of a workspace and its domains. A domain is
 *
 *   asked -> proven   its DNS has the record; one workspace may have proven it
 *   proven -> asked   the issuer or the client changes, and with it what the record has to say: otherwise an admin without the domain could put
 *                     a provider of their own in its place, and sign in as anyone
 *   proven -> asked   the record is gone from DNS for three days (domain-checks.ts)
 *
 * Admins change all of it. The rules are asked inside the transaction, as in storage/tenancy.
 */
import { LockMode } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Database, violatesConstraint } from '../database/index.ts';
import { SsoConnection, SsoDomain, Workspace, WorkspaceMember } from '../entities/index.ts';
import type { Vault } from '../secrets/index.ts';
import { removeSingleSignOn, type TenancyRules } from '../tenancy/index.ts';

/** Domains of a workspace. */
export const maxSsoDomains = 20;

export interface SsoDomainState {
  readonly domain: string;
  readonly proof: string;
  readonly provenAt: Date | null;
  readonly required: boolean;
}

/** Without the secret. */
export interface SsoState {
  readonly issuer: string | null;
  readonly clientId: string | null;
  readonly updatedAt: Date | null;
  readonly domains: readonly SsoDomainState[];
}

export interface SsoChange extends UserAuditContext {
  readonly workspaceId: string;
}

const selectConnection = `
  select issuer, client_id as "clientId", updated_at as "updatedAt" from sso_connections where workspace_id = $1`;

const selectDomains = `
  select domain, proof, proven_at as "provenAt", required from sso_domains where workspace_id = $1 order by domain limit ${maxSsoDomains}`;

export interface SsoSettingsOptions {
  readonly db: Database;
  readonly vault: Vault;
  readonly rules: TenancyRules;
}

export class SsoSettings {
  readonly #db: Database;
  readonly #vault: Vault;
  readonly #rules: TenancyRules;

  constructor({ db, vault, rules }: SsoSettingsOptions) {
    this.#db = db;
    this.#vault = vault;
    this.#rules = rules;
  }

  async find(workspaceId: string): Promise<SsoState> {
    const [[connection], domains] = await Promise.all([
      this.#db.query<Omit<SsoState, 'domains'>>(selectConnection, [workspaceId], 'sso.connection'),
      this.#db.query<SsoDomainState>(selectDomains, [workspaceId], 'sso.domains'),
    ]);
    return { issuer: null, clientId: null, updatedAt: null, ...connection, domains };
  }

  /** Refused without a secret where there is none yet, and for another provider. */
  async set(
    change: SsoChange & {
      readonly issuer: string;
      readonly clientId: string;
      readonly clientSecret: string | undefined;
    },
  ): Promise<void> {
    const { workspaceId, issuer, clientId, clientSecret, now } = change;
    const at = new Date(now);
    const sealed =
      clientSecret === undefined
        ? undefined
        : await this.#vault.seal(toSecretContext(workspaceId), clientSecret);
    await this.#change(change, async em => {
      const row = await em.findOne(SsoConnection, { workspaceId });
      const isOther = row?.issuer !== issuer;
      const provesAgain = isOther || row?.clientId !== clientId;
      // A secret goes only to the provider that it was made for.
      if (sealed === undefined && (row === null || isOther)) throw this.#rules.refuse('sso_secret_missing');
      if (row === null) {
        em.create(SsoConnection, {
          workspaceId,
          issuer,
          clientId,
          clientSecret: sealed ?? '',
          createdAt: at,
          updatedAt: at,
        });
      } else {
        em.assign(row, {
          issuer,
          clientId,
          updatedAt: at,
          ...(sealed !== undefined && { clientSecret: sealed }),
        });
      }
      if (provesAgain) await this.#askAgain(em, workspaceId, at);
      await em.flush();
      const details = { issuer, clientId, secret: sealed !== undefined };
      await record(em, change, 'single_sign_on.updated', workspaceId, details);
    });
  }

  /** Nobody signs in by it any more; domains and what they require go, too. */
  async remove(change: SsoChange): Promise<void> {
    await this.#change(change, em => removeSingleSignOn(em, change.workspaceId, change));
  }

  /** A domain that is there already stays as it is. Refused before there is a provider, and beyond {@link maxSsoDomains}. */
  async addDomain(change: SsoChange, domain: string): Promise<SsoDomainState> {
    const { workspaceId, now } = change;
    const at = new Date(now);
    return this.#change(change, async em => {
      const present = await em.findOne(SsoDomain, { workspaceId, domain });
      if (present !== null) return toState(present);
      if ((await em.count(SsoConnection, { workspaceId })) === 0) throw this.#rules.refuse('sso_absent');
      if ((await em.count(SsoDomain, { workspaceId })) >= maxSsoDomains)
        throw this.#rules.refuse('too_many_domains');
      const row = em.create(SsoDomain, {
        workspaceId,
        domain,
        proof: createProof(),
        required: false,
        createdAt: at,
        updatedAt: at,
      });
      await em.flush();
      await record(em, change, 'single_sign_on.domain_added', domain, {});
      return toState(row);
    });
  }

  /** The record was found. Refused where another workspace has proven the domain, and where something else is asked for by now. */
  async markProven(change: SsoChange, domain: string, proof: string): Promise<SsoDomainState> {
    try {
      return await this.#changeDomain(change, domain, async (em, row) => {
        if (row.proof !== proof) throw this.#rules.refuse('domain_unproven');
        if (row.provenAt) return;
        row.provenAt = new Date(change.now);
        row.checkedAt = row.provenAt;
        row.missingSince = null;
        await em.flush();
        await record(em, change, 'single_sign_on.domain_proven', domain, {});
      });
    } catch (error) {
      throw violatesConstraint(error, 'sso_domains_proven') ? this.#rules.refuse('domain_taken') : error;
    }
  }

  /** Whether its addresses have to sign in by the provider; takes a proven domain. */
  require(change: SsoChange, domain: string, required: boolean): Promise<SsoDomainState> {
    return this.#changeDomain(change, domain, async (em, row) => {
      if (row.required === required) return;
      if (required && !row.provenAt) throw this.#rules.refuse('domain_unproven');
      row.required = required;
      await em.flush();
      await record(em, change, 'single_sign_on.domain_updated', domain, { required });
    });
  }

  async removeDomain(change: SsoChange, domain: string): Promise<void> {
    const { workspaceId } = change;
    await this.#change(change, async em => {
      if ((await em.nativeDelete(SsoDomain, { workspaceId, domain })) === 0)
        throw this.#rules.refuse('absent');
      await record(em, change, 'single_sign_on.domain_removed', domain, {});
    });
  }

  async #changeDomain(
    change: SsoChange,
    domain: string,
    work: (em: EntityManager, row: DomainRow) => Promise<void>,
  ): Promise<SsoDomainState> {
    return this.#change(change, async em => {
      const row = await em.findOne(SsoDomain, { workspaceId: change.workspaceId, domain });
      if (row === null) throw this.#rules.refuse('absent');
      await work(em, row);
      row.updatedAt = new Date(change.now);
      await em.flush();
      return toState(row);
    });
  }

  /** Changes of one workspace wait for each other, and for those of its members. */
  async #change<T>(change: SsoChange, work: (em: EntityManager) => Promise<T>): Promise<T> {
    const { workspaceId, byUserId: userId } = change;
    return this.#db.em().transactional(async em => {
      const row = await em.findOne(Workspace, { workspaceId }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (row === null) throw this.#rules.refuse('absent');
      const member = await em.findOne(WorkspaceMember, { workspaceId, userId });
      this.#rules.requireAdmin(member?.role);
      return work(em);
    });
  }

  async #askAgain(em: EntityManager, workspaceId: string, at: Date): Promise<void> {
    for (const row of await em.find(SsoDomain, { workspaceId })) {
      em.assign(row, { proof: createProof(), provenAt: null, required: false, updatedAt: at });
    }
  }
}

interface DomainRow {
  readonly domain: string;
  readonly proof: string;
  provenAt?: Date | null | undefined;
  checkedAt?: Date | null | undefined;
  missingSince?: Date | null | undefined;
  required?: boolean | undefined;
  updatedAt: Date;
}

export const toSecretContext = (workspaceId: string): string =>
  `sso_connections/${workspaceId}/client_secret`;

/** 160 bits. */
const createProof = (): string => `skein-domain-proof=${randomBytes(20).toString('hex')}`;

const toState = ({ domain, proof, provenAt, required }: DomainRow): SsoDomainState => ({
  domain,
  proof,
  provenAt: provenAt ?? null,
  required: required ?? false,
});

type Act =
  | 'single_sign_on.updated'
  | 'single_sign_on.domain_added'
  | 'single_sign_on.domain_proven'
  | 'single_sign_on.domain_updated'
  | 'single_sign_on.domain_removed';

function record(
  em: EntityManager,
  change: SsoChange,
  action: Act,
  targetId: string,
  details: Readonly<Record<string, unknown>>,
): Promise<void> {
  return recordUserAction(em, change, { workspaceId: change.workspaceId, action, targetId, details });
}
