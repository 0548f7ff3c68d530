/**
 * API keys: made, listed and revoked here, looked up by the hash of their secret. The secret itself is given out once, at
 * creation, and not kept.
 *
 *   active   -> rotating   a successor was made and a grace period runs (the grace's end is in the row)
 *   active, rotating -> revoked
 *
 * A rotating key whose grace has ended counts as revoked, whatever its row says; so does an expired key for callers.
 */
import { LockMode } from '@mikro-orm/core';
import type { InferEntity } from '@mikro-orm/core';
import { ServiceError } from '../../protocol/errors.ts';
import { newId } from '../../protocol/ids.ts';
import type { Scope } from '../../protocol/operation.ts';
import type {
  ApiKey as ApiKeyResource,
  KeyEnvironment,
  KeyStatus,
} from '../../protocol/resources/api-key.ts';
import type { EnvironmentKind } from '../../protocol/resources/environment.ts';
import { page } from '../cursor.ts';
import type { Cursors, Page } from '../cursor.ts';
import type { Database } from '../database.ts';
import { ApiKey } from '../entities/credentials.ts';
import { Environment } from '../entities/tenancy.ts';
import { appendEvents } from '../events.ts';
import type { KeyHash } from '../keyhash.ts';
import { newApiKeySecret } from './api-key-secret.ts';
import type { PageRequest } from './workspaces.ts';

/** In which environment a key works (decisions section 1). */
export const environmentKindOf = {
  test: 'sandbox',
  live: 'production',
} as const satisfies Record<KeyEnvironment, EnvironmentKind>;

export interface NewApiKey {
  readonly projectId: string;
  readonly name: string;
  readonly environment: KeyEnvironment;
  readonly scopes: readonly Scope[];
  readonly expiresAt: Date | null;
  readonly createdByUserId: string;
  /** Epoch milliseconds. */
  readonly now: number;
}

/** What a request with a key has to know of it. */
export interface KeyGrant {
  readonly apiKeyId: string;
  readonly projectId: string;
  readonly environmentId: string;
  readonly environmentKind: EnvironmentKind;
  readonly scopes: readonly Scope[];
  readonly createdByUserId: string;
  /** Epoch milliseconds: its expiry or the end of its grace; null: it works until it is revoked. */
  readonly endsAt: number | null;
}

/** The last use of a key. */
export interface KeyUse {
  readonly apiKeyId: string;
  /** Epoch milliseconds. */
  readonly at: number;
  readonly address: string;
}

const selectGrant = `
  select k.api_key_id as "apiKeyId", k.project_id as "projectId", k.environment_id as "environmentId",
    e.kind as "environmentKind", k.scopes, k.created_by_user_id as "createdByUserId",
    (extract(epoch from least(k.expires_at, k.rotation_grace_expires_at)) * 1000)::float8 as "endsAt"
  from api_keys k join environments e on e.environment_id = k.environment_id
  where k.key_hash = $1 and k.status <> 'revoked'`;

/** Newest first, by the index api_keys_listed read backwards. */
const selectPage = `
  select api_key_id as "apiKeyId", project_id as "projectId", name, environment, key_prefix as "keyPrefix", scopes, status,
    created_at as "createdAt", expires_at as "expiresAt", revoked_at as "revokedAt",
    rotation_grace_expires_at as "rotationGraceExpiresAt", last_used_at as "lastUsedAt", last_used_ip as "lastUsedIp"
  from api_keys
  where project_id = $1 and ($2::timestamptz is null or (created_at, api_key_id) < ($2, $3))
  order by created_at desc, api_key_id desc limit $4`;

const updateUses = `
  update api_keys k set last_used_at = u.at, last_used_ip = u.address
  from unnest($1::text[], $2::timestamptz[], $3::text[]) as u(api_key_id, at, address)
  where k.api_key_id = u.api_key_id and (k.last_used_at is null or k.last_used_at < u.at)`;

type ApiKeyRow = Pick<
  InferEntity<typeof ApiKey>,
  | 'apiKeyId'
  | 'projectId'
  | 'name'
  | 'environment'
  | 'keyPrefix'
  | 'scopes'
  | 'status'
  | 'createdAt'
  | 'expiresAt'
  | 'revokedAt'
  | 'rotationGraceExpiresAt'
  | 'lastUsedAt'
  | 'lastUsedIp'
>;

export interface ApiKeysOptions {
  readonly db: Database;
  readonly hash: KeyHash;
  readonly cursors: Cursors;
}

export class ApiKeys {
  readonly #db: Database;
  readonly #hash: KeyHash;
  readonly #cursors: Cursors;

  constructor({ db, hash, cursors }: ApiKeysOptions) {
    this.#db = db;
    this.#hash = hash;
    this.#cursors = cursors;
  }

  /** A page of the project's keys; `now` (epoch milliseconds) tells which graces have ended. */
  async list(projectId: string, { cursor, limit }: PageRequest, now: number): Promise<Page<ApiKeyResource>> {
    const scope = `api-keys/${projectId}`;
    const [createdAt, apiKeyId] = cursor === undefined ? [] : this.#cursors.decode(scope, cursor);
    const before = createdAt === undefined ? null : new Date(createdAt);
    const rows = await this.#db.query<ApiKeyRow>(selectPage, [
      projectId,
      before,
      apiKeyId ?? null,
      limit + 1,
    ]);
    const { data, ...rest } = page(rows, limit, last =>
      this.#cursors.encode(scope, [last.createdAt.getTime(), last.apiKeyId]),
    );
    return { data: data.map(row => toResource(row, now)), ...rest };
  }

  /** Refuses with 422 when the project has no environment for such a key. `secret` is not to be had again. */
  async create(request: NewApiKey): Promise<{ apiKey: ApiKeyResource; secret: string }> {
    const { projectId, environment, createdByUserId, now } = request;
    const { secret, keyPrefix } = newApiKeySecret(environment);
    const at = new Date(now);
    const apiKey = await this.#db.em().transactional(async em => {
      const home = await em.findOne(Environment, { projectId, kind: environmentKindOf[environment] });
      if (home === null) throw noEnvironment(environment);
      const row = em.create(ApiKey, {
        apiKeyId: newId('apiKey', now),
        projectId,
        environmentId: home.environmentId,
        name: request.name,
        environment,
        keyPrefix,
        keyHash: this.#hash.of('api-key', secret),
        scopes: [...new Set(request.scopes)],
        status: 'active',
        createdByUserId,
        createdAt: at,
        updatedAt: at,
        expiresAt: request.expiresAt,
      });
      await em.flush();
      const created = toResource(row, now);
      const { environmentId } = row;
      const data = { actor: { type: 'user', id: createdByUserId }, apiKey: created };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.created', data }]);
      return created;
    });
    return { apiKey, secret };
  }

  /** The key's project, to authorise by; undefined when there is no such key. */
  async projectOf(apiKeyId: string): Promise<string | undefined> {
    const [row] = await this.#db.query<{ projectId: string }>(
      'select project_id as "projectId" from api_keys where api_key_id = $1',
      [apiKeyId],
    );
    return row?.projectId;
  }

  /** Revokes a key of the project; one that is revoked already stays as it is, without a second event. */
  async revoke(projectId: string, apiKeyId: string, byUserId: string, now: number): Promise<void> {
    await this.#db.em().transactional(async em => {
      const lock = { lockMode: LockMode.PESSIMISTIC_WRITE };
      const row = await em.findOne(ApiKey, { projectId, apiKeyId }, lock);
      if (row === null || row.status === 'revoked') return;
      row.status = 'revoked';
      row.revokedAt = new Date(now);
      row.updatedAt = row.revokedAt;
      await em.flush();
      const { environmentId } = row;
      const data = { actor: { type: 'user', id: byUserId }, apiKey: toResource(row, now) };
      await appendEvents(em, [{ projectId, environmentId, eventName: 'project.api_key.revoked', data }]);
    });
  }

  /** What a presented secret grants; undefined when no key that is not revoked has it. Ends are the caller's to check. */
  async grantOf(secret: string): Promise<KeyGrant | undefined> {
    const hash = this.#hash.of('api-key', secret);
    const [grant] = await this.#db.query<KeyGrant>(selectGrant, [hash], 'api-keys.grant');
    return grant;
  }

  /** Writes last uses down in one statement; an older use never overwrites a newer one. */
  async recordUses(uses: readonly KeyUse[]): Promise<void> {
    const columns = [
      uses.map(use => use.apiKeyId),
      uses.map(use => new Date(use.at)),
      uses.map(use => use.address),
    ];
    await this.#db.query(updateUses, columns, 'api-keys.uses');
  }
}

function noEnvironment(environment: KeyEnvironment): ServiceError {
  const message = `The project has no ${environmentKindOf[environment]} environment: create it first.`;
  return new ServiceError('svc/validation/invalid_request', {
    message,
    details: { issues: [{ path: '/body/environment', message, code: 'environment' }] },
  });
}

function statusOf(row: ApiKeyRow, now: number): KeyStatus {
  const graceEnd = row.rotationGraceExpiresAt?.getTime();
  return row.status === 'rotating' && graceEnd !== undefined && graceEnd <= now ? 'revoked' : row.status;
}

const instant = (date: Date | null | undefined): string | null => date?.toISOString() ?? null;

function toResource(row: ApiKeyRow, now: number): ApiKeyResource {
  return {
    apiKeyId: row.apiKeyId,
    projectId: row.projectId,
    name: row.name,
    environment: row.environment,
    keyPrefix: row.keyPrefix,
    scopes: row.scopes,
    status: statusOf(row, now),
    createdAt: row.createdAt.toISOString(),
    expiresAt: instant(row.expiresAt),
    revokedAt: instant(row.revokedAt),
    rotationGraceExpiresAt: instant(row.rotationGraceExpiresAt),
    lastUsedAt: instant(row.lastUsedAt),
    lastUsedIp: row.lastUsedIp ?? null,
  };
}
