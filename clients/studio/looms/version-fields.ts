/** What a version of instructions consists of, as its form holds it. */
import type { CreateLoomVersionBody, LoomVersion } from '../../sdk/index.ts';

export interface VersionFields {
  readonly systemPrompt: string;
  /** One a line. */
  readonly rules: string;
  readonly provider: LoomVersion['provider'];
  readonly model: string;
  /** null: the server's own key of the provider. */
  readonly byokCredentialId: string | null;
  /** null: the agent's. */
  readonly mode: LoomVersion['mode'];
  /** null: the provider's default. */
  readonly temperature: number | null;
  readonly maxTokens: number | null;
  readonly toolIds: readonly string[];
}

export const providers = ['llm_provider_1', 'llm_provider_2', 'llm_provider_3'] as const;

export const emptyVersion: VersionFields = {
  systemPrompt: '',
  rules: '',
  provider: 'llm_provider_1',
  model: '',
  byokCredentialId: null,
  mode: null,
  temperature: null,
  maxTokens: null,
  toolIds: [],
};

export function toFields(version: LoomVersion): VersionFields {
  const { systemPrompt, rules, provider, model, byokCredentialId, mode, temperature, maxTokens, toolIds } =
    version;
  return {
    systemPrompt,
    rules: rules.join('\n'),
    provider,
    model,
    byokCredentialId: byokCredentialId ?? null,
    mode,
    temperature: temperature ?? null,
    maxTokens: maxTokens ?? null,
    toolIds,
  };
}

export function toBody(fields: VersionFields): CreateLoomVersionBody {
  const rules = fields.rules.split('\n').map(rule => rule.trim());
  return { ...fields, model: fields.model.trim(), rules: rules.filter(rule => rule !== '') };
}

/** All of it as text, for people to compare. */
export function toText(
  fields: VersionFields,
  labels: Readonly<Record<keyof VersionFields, string>>,
  nameTool: (toolId: string) => string,
): string {
  const values: readonly (readonly [keyof VersionFields, string])[] = [
    ['provider', fields.provider],
    ['model', fields.model],
    ['byokCredentialId', fields.byokCredentialId ?? '–'],
    ['mode', fields.mode ?? '–'],
    ['temperature', String(fields.temperature ?? '–')],
    ['maxTokens', String(fields.maxTokens ?? '–')],
    ['toolIds', fields.toolIds.map(nameTool).sort().join(', ') || '–'],
  ];
  const lines = values.map(([name, value]) => `${labels[name]}: ${value}`);
  const rules = fields.rules === '' ? [] : ['', `# ${labels.rules}`, '', fields.rules];
  return [...lines, ...rules, '', `# ${labels.systemPrompt}`, '', fields.systemPrompt].join('\n');
}
