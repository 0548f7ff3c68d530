/**
 * Partner app credentials: the apps through which an agency connects chatapp channels.
 *
 *   active -> revoked   unless a chatapp channel uses it
 *
 * The app secret is kept sealed and never shown, only its fingerprint; of the verify token, which is shown once, a keyed hash is kept. A
 * secret that was replaced is good for a day more in the signatures of webhooks that come in.
 */
import { defaultLimits, type Limits, requireWithinLimit } from '../writes/index.ts';
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import type { EntityManager } from '@mikro-orm/postgresql';
import { randomBytes } from 'node:crypto';
import { newId } from '../../protocol/ids.ts';
import type { PartnerAppCredential } from '../../protocol/resources/index.ts';
import { recordUserAction, type UserAuditContext } from '../audit/index.ts';
import { type Cursors, type Page, type PageRequest, limitBytes, readPage, toPage } from '../paging/index.ts';
import type { Database, Queries } from '../database/index.ts';
import { Channel, PartnerApp, Project } from '../entities/index.ts';
import { type Keyed, transactOnce } from '../idempotency/index.ts';
import type { KeyedHash, Vault } from '../secrets/index.ts';
import { lockWorkspaceRole } from './roles.ts';
import type { TenancyRules, UsingChannel } from './rules.ts';

export interface NewPartnerApp extends UserAuditContext, Keyed {
  readonly workspaceId: string;
  readonly name: string;
  readonly appId: string;
  readonly appSecret: string;
  readonly metadata: Record<string, unknown>;
}

/** A change of a credential of a workspace. */
export interface PartnerAppChange extends UserAuditContext {
  readonly workspaceId: string;
  readonly partnerAppCredentialId: string;
}

type PartnerAppRow = Pick<
  InferEntity<typeof PartnerApp>,
  | 'partnerAppCredentialId'
  | 'workspaceId'
  | 'name'
  | 'appId'
  | 'status'
  | 'keyFingerprint'
  | 'metadata'
  | 'createdAt'
  | 'updatedAt'
  | 'revokedAt'
>;

/** Newest first, by the index partner_apps_listed read backwards. */
const selectPage = limitBytes(`
  select partner_app_credential_id as "partnerAppCredentialId", workspace_id as "workspaceId", name, app_id as "appId", status,
    key_fingerprint as "keyFingerprint", metadata, created_at as "createdAt", updated_at as "updatedAt", revoked_at as "revokedAt"
  from partner_apps
  where workspace_id = $1 and ($2::timestamptz is null or (created_at, partner_app_credential_id) < ($2, $3))
  order by created_at desc, partner_app_credential_id desc limit $4`);

/** How long a secret that was replaced is good in signatures, in milliseconds. */
const overlapMs = 86_400_000;

/** Channels that a refusal names at most. */
const namedChannels = 20;

/** The context that the app secret is sealed for (storage/secrets/vault.ts). */
export function appSecretContext(partnerAppCredentialId: string): string {
  return `partner_apps/${partnerAppCredentialId}/app_secret`;
}

/** The keyed hash under which a verify token is kept. */
export function verifyTokenHash(hash: KeyedHash, token: string): Buffer {
  return hash.digest('partner-app-verify-token', token);
}

export interface PartnerAppsOptions {
  readonly db: Database;
  readonly hash: KeyedHash;
  readonly vault: Vault;
  readonly cursors: Cursors;
  readonly rules: TenancyRules;
  readonly limits?: Limits;
}

/** Revokes a locked credential and deletes its secret. Call it inside a transaction. */
export async function revokePartnerApp(
  em: EntityManager,
  row: InferEntity<typeof PartnerApp>,
  audit: UserAuditContext,
): Promise<void> {
  const { workspaceId, partnerAppCredentialId: targetId, name, appId } = row;
  row.status = 'revoked';
  row.appSecret = '';
  row.previousAppSecret = null;
  row.previousAppSecretUntil = null;
  row.revokedAt = new Date(audit.now);
  row.updatedAt = row.revokedAt;
  await em.flush();
  const details = { name, appId };
  await recordUserAction(em, audit, { workspaceId, action: 'partner_app.revoked', targetId, details });
}

/** A partner app, as a channel acts with it. */
export interface PartnerAppSecrets {
  readonly appId: string;
  readonly appSecret: string;
  /** The one before, while signatures with it are accepted. */
  readonly previousSecret: string | undefined;
}

interface SecretsRow {
  readonly appId: string;
  readonly appSecret: string;
  readonly previous: string | null;
}

/** Undefined where the workspace of the project has no such credential, or it is revoked. Rejects with `SealBroken`. */
export async function findPartnerAppSecrets(
  db: Queries,
  vault: Pick<Vault, 'open'>,
  {
    projectId,
    partnerAppCredentialId,
  }: { readonly projectId: string; readonly partnerAppCredentialId: string },
  now: number,
): Promise<PartnerAppSecrets | undefined> {
  const [row] = await db.query<SecretsRow>(
    `select p.app_id as "appId", p.app_secret as "appSecret",
       case when p.previous_app_secret_until > $3 then p.previous_app_secret end as previous
     from partner_apps p join projects j on j.workspace_id = p.workspace_id
     where p.partner_app_credential_id = $1 and j.project_id = $2 and p.status = 'active'`,
    [partnerAppCredentialId, projectId, new Date(now)],
    'partner_apps.secrets',
  );
  if (row === undefined) return undefined;
  const context = appSecretContext(partnerAppCredentialId);
  const { appId, appSecret, previous } = row;
  return {
    appId,
    appSecret: await vault.open(context, appSecret),
    previousSecret: previous === null ? undefined : await vault.open(context, previous),
  };
}

/** Whether the token is the verify token of a partner app of the project's workspace. */
export async function isVerifyToken(
  db: Queries,
  hash: KeyedHash,
  projectId: string,
  token: string,
): Promise<boolean> {
  const rows = await db.query(
    `select from partner_apps p join projects j on j.workspace_id = p.workspace_id
     where j.project_id = $1 and p.verify_token_hash = $2 and p.status = 'active'`,
    [projectId, verifyTokenHash(hash, token)],
    'partner_apps.verify_token',
  );
  return rows.length > 0;
}

export class PartnerApps {
  readonly #db: Database;
  readonly #hash: KeyedHash;
  readonly #vault: Vault;
  readonly #cursors: Cursors;
  readonly #rules: TenancyRules;

  readonly #limits: Limits;

  constructor({ db, hash, vault, cursors, rules, limits = defaultLimits }: PartnerAppsOptions) {
    this.#limits = limits;
    this.#db = db;
    this.#hash = hash;
    this.#vault = vault;
    this.#cursors = cursors;
    this.#rules = rules;
  }

  async list(workspaceId: string, { cursor, limit }: PageRequest): Promise<Page<PartnerAppCredential>> {
    const scope = `partner-apps/${workspaceId}`;
    const [createdAt, lastId] = cursor === undefined ? [] : this.#cursors.decode(scope, cursor);
    const before = createdAt === undefined ? null : new Date(createdAt);
    const values = [workspaceId, before, lastId ?? null, limit + 1];
    const page = await readPage<PartnerAppRow>(this.#db, selectPage, values, limit);
    const { data, ...rest } = toPage(page, last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.partnerAppCredentialId]),
    );
    return { data: data.map(toResource), ...rest };
  }

  /** Registers an app. `verifyToken` is shown only once. */
  async create(
    request: NewPartnerApp,
  ): Promise<{ readonly partnerApp: PartnerAppCredential; readonly verifyToken: string }> {
    const { workspaceId, name, appId, appSecret, metadata, now } = request;
    const partnerAppCredentialId = newId('partnerApp', now);
    const verifyToken = randomBytes(32).toString('base64url');
    const sealed = await this.#vault.seal(appSecretContext(partnerAppCredentialId), appSecret);
    const at = new Date(now);
    return transactOnce(this.#db, request.key, async em => {
      this.#rules.requireAdmin(await lockWorkspaceRole(em, workspaceId, request.byUserId));
      const row = em.create(PartnerApp, {
        partnerAppCredentialId,
        workspaceId,
        name,
        appId,
        metadata,
        status: 'active',
        appSecret: sealed,
        keyFingerprint: this.#fingerprint(appSecret),
        verifyTokenHash: verifyTokenHash(this.#hash, verifyToken),
        createdAt: at,
        updatedAt: at,
      });
      await em.flush();
      await requireWithinLimit(em, this.#limits, 'partnerApps', workspaceId);
      const details = { name, appId, keyFingerprint: row.keyFingerprint };
      await recordUserAction(em, request, {
        workspaceId,
        action: 'partner_app.created',
        targetId: partnerAppCredentialId,
        details,
      });
      return { partnerApp: toResource(row), verifyToken };
    });
  }

  /** The workspace of the credential, for authorising a change of it; undefined when there is no such credential. */
  async findWorkspace(partnerAppCredentialId: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ workspaceId: string }>(
      'select workspace_id as "workspaceId" from partner_apps where partner_app_credential_id = $1',
      [partnerAppCredentialId],
    );
    return row?.workspaceId;
  }

  /** Replaces the app secret, at once for calls of the provider. Refused for a revoked credential. */
  async rotateSecret(
    change: PartnerAppChange & Keyed & { readonly appSecret: string },
  ): Promise<PartnerAppCredential> {
    const { workspaceId, partnerAppCredentialId, appSecret, now } = change;
    const sealed = await this.#vault.seal(appSecretContext(partnerAppCredentialId), appSecret);
    return transactOnce(this.#db, change.key, async em => {
      const row = await this.#lock(em, change);
      if (row.status === 'revoked') {
        throw this.#rules.refuse('partner_app_revoked');
      }
      row.previousAppSecret = row.appSecret;
      row.previousAppSecretUntil = new Date(now + overlapMs);
      row.appSecret = sealed;
      row.keyFingerprint = this.#fingerprint(appSecret);
      row.updatedAt = new Date(now);
      await em.flush();
      const details = { keyFingerprint: row.keyFingerprint };
      await recordUserAction(em, change, {
        workspaceId,
        action: 'partner_app.secret_rotated',
        targetId: partnerAppCredentialId,
        details,
      });
      return toResource(row);
    });
  }

  /**
   * Revokes a credential and deletes its secret; a revoked one stays as it is. Refused while a channel uses it. A transaction that gives it
   * to a channel locks its row (`PESSIMISTIC_READ`) and checks that it is active.
   */
  async revoke(change: PartnerAppChange): Promise<void> {
    const { workspaceId, partnerAppCredentialId } = change;
    await this.#db.em().transactional(async em => {
      const row = await this.#lock(em, change);
      if (row.status === 'revoked') return;
      const projects = await em.find(Project, { workspaceId }, { fields: ['projectId'] });
      const projectId = { $in: projects.map(project => project.projectId) };
      const channels = await em.find(
        Channel,
        { partnerAppCredentialId, projectId },
        {
          fields: ['channelId', 'projectId', 'environmentId', 'name'],
          orderBy: { createdAt: 'desc', channelId: 'desc' },
          limit: namedChannels,
        },
      );
      if (channels.length > 0) throw this.#rules.partnerAppInUse(channels.map(toUsingChannel));
      await revokePartnerApp(em, row, change);
    });
  }

  /** Of several changes of one credential, each waits here for the one before. */
  async #lock(
    em: EntityManager,
    { workspaceId, partnerAppCredentialId, byUserId }: PartnerAppChange,
  ): Promise<InferEntity<typeof PartnerApp>> {
    this.#rules.requireAdmin(await lockWorkspaceRole(em, workspaceId, byUserId));
    const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
    const row = await em.findOne(PartnerApp, { workspaceId, partnerAppCredentialId }, lock);
    if (row === null) throw this.#rules.refuse('absent');
    return row;
  }

  /** Tells secrets apart without revealing anything of them: 64 bits of a keyed hash. */
  #fingerprint(secret: string): string {
    return this.#hash.digest('partner-app-fingerprint', secret).toString('hex', 0, 8);
  }
}

function toUsingChannel({ channelId, projectId, environmentId, name }: UsingChannel): UsingChannel {
  return { channelId, projectId, environmentId, name };
}

function toResource(row: PartnerAppRow): PartnerAppCredential {
  return {
    partnerAppCredentialId: row.partnerAppCredentialId,
    workspaceId: row.workspaceId,
    name: row.name,
    appId: row.appId,
    status: row.status,
    keyFingerprint: row.keyFingerprint,
    metadata: row.metadata,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    revokedAt: row.revokedAt?.toISOString() ?? null,
  };
}
