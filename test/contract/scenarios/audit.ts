import type { auditOperations } from '../../../protocol/operations/audit.ts';
import type { ScenariosOf } from '../scenario.ts';

export const auditScenarios: ScenariosOf<typeof auditOperations> = {
  listAuditLogs: {
    request: ({ projectId, environmentId }) => ({ query: { projectId, environmentId } }),
    // A workspace is for people only.
    by: ({ person }) => person,
    variants: [
      ({ tenant }) => ({ query: { workspaceId: tenant.workspaceId } }),
      ({ projectId }) => ({
        query: { projectId, action: 'channel.created', since: '2026-01-01T00:00:00Z', limit: 1 },
      }),
    ],
    refusals: {},
  },
  exportAuditLogs: {
    request: ({ projectId, environmentId }) => ({ query: { projectId, environmentId } }),
    by: ({ person }) => person,
    variants: [
      ({ tenant }) => ({ query: { workspaceId: tenant.workspaceId } }),
      ({ projectId }) => ({ query: { projectId, action: 'agent_run.cancelled' } }),
    ],
    refusals: {},
  },
};
