/** Rows that agents work with, on a real database, made by services where there is one. */
import { agentRules as rules } from '../../../gateway/agents/rules.ts';
import { newId } from '../../../protocol/ids.ts';
import type { Provider } from '../../../protocol/resources/byok.ts';
import { ByokCredentials } from '../../../storage/agents/byok.ts';
import type { AgentHead } from '../../../storage/agents/agents.ts';
import { Tools, type NewTool } from '../../../storage/agents/tools.ts';
import { Cursors } from '../../../storage/paging/cursors.ts';
import type { Database } from '../../../storage/database/database.ts';
import { LoomVersion } from '../../../storage/entities/agents.ts';
import { KeyedHash } from '../../../storage/secrets/keyed-hash.ts';
import { KeyRing } from '../../../storage/secrets/key-ring.ts';
import type { TenantScope } from '../../../storage/database/tenant-scope.ts';
import { Vault } from '../../../storage/secrets/vault.ts';
import { freshKey, origin } from '../../support/accounts.ts';

export function agentRows(db: Database) {
  const ring = new KeyRing(freshKey());
  const vault = new Vault(ring);
  const services = { db, vault, hash: new KeyedHash(ring), cursors: new Cursors(ring), rules };
  const byok = new ByokCredentials(services);
  const tools = new Tools(services);
  const audit = () => ({ author: { type: 'user', id: 'usr_1' } as const, origin, now: Date.now() });

  return {
    vault,
    byok,
    tools,
    audit,

    /** An environment of a new project, or another one of the given project. */
    async tenant(
      kind: 'sandbox' | 'production' = 'sandbox',
      projectId: string = newId('project'),
    ): Promise<TenantScope> {
      const environmentId = newId('environment');
      await db.query(
        `insert into project_streams (project_id, last_seq, epoch) values ($1, 0, 'e') on conflict do nothing`,
        [projectId],
      );
      await db.query(
        `insert into environments (environment_id, project_id, kind, name, created_at, updated_at)
         values ($1, $2, $3, 'e', now(), now())`,
        [environmentId, projectId, kind],
      );
      return { projectId, environmentId };
    },

    /** The id of a new key. */
    async key(
      tenant: TenantScope,
      provider: Provider = 'llm_provider_1',
      secret = 'sk-0123456789',
      modelAllowlist: readonly string[] = [],
    ): Promise<string> {
      const request = { ...tenant, provider, secret, modelAllowlist, displayName: 'a key', metadata: {} };
      return (await byok.create({ ...audit(), ...request })).byokCredentialId;
    },

    tool(tenant: TenantScope, fields: Partial<NewTool> = {}) {
      return tools.create({
        ...audit(),
        ...tenant,
        name: 'look up',
        url: 'http://127.0.0.1:2/',
        method: 'POST',
        headers: {},
        timeoutMs: 30_000,
        retryMaxAttempts: 1,
        retryBackoffMs: 250,
        requiresApproval: false,
        description: null,
        inputSchema: null,
        metadata: {},
        ...fields,
      });
    },

    async version(
      tenant: TenantScope,
      fields: { readonly byokCredentialId?: string; readonly toolIds?: string[]; readonly rules?: string[] },
    ) {
      const em = db.em();
      const [loomId, loomVersionId] = [newId('loom'), newId('loomVersion')];
      em.create(LoomVersion, {
        ...tenant,
        loomId,
        loomVersionId,
        version: 1,
        status: 'published',
        systemPrompt: 'You help.',
        provider: 'llm_provider_1',
        model: 'gpt-4o-mini',
        createdAt: new Date(),
        ...fields,
      });
      await em.flush();
      const head = { agentId: newId('agent'), loomId, loomVersionId } as const;
      return { ...head, provider: 'llm_provider_1', model: 'gpt-4o-mini', mode: 'auto' } as const;
    },

    /** The agent, at work with its own loom, under the ids of a run's head. */
    async agent(
      { projectId, environmentId }: TenantScope,
      { agentId, loomId, loomVersionId, mode }: AgentHead,
    ): Promise<void> {
      const own = [projectId, environmentId];
      await db.query(
        `insert into loom_versions (loom_version_id, project_id, environment_id, loom_id, version, status, system_prompt, provider,
           model, created_at) values ($3, $1, $2, $4, 1, 'published', 'You help.', 'llm_provider_1', 'm', now())`,
        [...own, loomVersionId, loomId],
      );
      await db.query(
        `insert into looms (loom_id, project_id, environment_id, name, status, active_version_id, created_at, updated_at)
         values ($3, $1, $2, 'l', 'active', $4, now(), now())`,
        [...own, loomId, loomVersionId],
      );
      await db.query(
        `insert into agents (agent_id, project_id, environment_id, name, mode, loom_id, created_at, updated_at)
         values ($3, $1, $2, 'a', $4, $5, now(), now())`,
        [...own, agentId, mode, loomId],
      );
    },

    /** A new thread with these messages, numbered from 1. */
    async thread(
      { projectId, environmentId }: TenantScope,
      messages: readonly {
        readonly direction: 'inbound' | 'outbound';
        readonly body: string;
        readonly status?: string;
        readonly attachments?: readonly object[];
      }[],
    ): Promise<string> {
      const threadId = newId('thread');
      for (const [index, { direction, body, status = null, attachments = [] }] of messages.entries()) {
        await db.query(
          `insert into messages (message_id, project_id, environment_id, thread_id, sequence, direction, body, status,
             attachments, actor, created_at, updated_at)
           values ($1, $2, $3, $4, $5, $6, $7, $8, $9, '{"type": "system", "id": null}', now(), now())`,
          [
            ...[newId('message'), projectId, environmentId, threadId, index + 1, direction, body, status],
            JSON.stringify(attachments),
          ],
        );
      }
      return threadId;
    },
  };
}
