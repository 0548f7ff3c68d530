/** The audit log's search parameters: what narrows it, and what is opened. */
export const auditSearch = [
  'action',
  'actor',
  'target',
  'since',
  'until',
  'project',
  'environment',
  'entry',
  'at',
] as const;

export type AuditSearch = { readonly [name in (typeof auditSearch)[number]]?: string | undefined };
