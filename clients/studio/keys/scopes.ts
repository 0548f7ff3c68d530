/** What an API key may do: presets for what most keys are made for, and every scope by itself. */
import type { CreateApiKeyBody } from '../../sdk/index.ts';

export type Scope = CreateApiKeyBody['scopes'][number];

export const scopes = [
  'threads:read',
  'threads:write',
  'messages:read',
  'messages:write',
  'channels:read',
  'channels:write',
  'channels:connect',
  'webhooks:read',
  'webhooks:write',
  'agents:read',
  'agents:write',
  'agents:run',
  'tools:read',
  'tools:write',
  'tools:execute',
  'usage:read',
  'audit:read',
] as const satisfies readonly Scope[];

export const presets = {
  conversations: [
    'threads:read',
    'threads:write',
    'messages:read',
    'messages:write',
    'channels:read',
    'channels:write',
  ],
  webhooks: ['webhooks:read', 'webhooks:write'],
  agents: ['agents:read', 'agents:write', 'agents:run', 'tools:read', 'tools:write', 'tools:execute'],
  readOnly: ['threads:read', 'messages:read', 'channels:read', 'webhooks:read', 'agents:read', 'tools:read'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

export type PresetName = keyof typeof presets;

/** Scopes that only owners and admins of the workspace can give: who has them reads what others do. */
export const administratorScopes: ReadonlySet<Scope> = new Set(['usage:read', 'audit:read']);

/** The preset with these scopes and no others. */
export function findPreset(chosen: readonly Scope[]): PresetName | undefined {
  const names = Object.keys(presets) as PresetName[];
  return names.find(name => {
    const wanted: readonly Scope[] = presets[name];
    return wanted.length === chosen.length && wanted.every(scope => chosen.includes(scope));
  });
}
