import Type from 'typebox';
import type { Static } from 'typebox';
import { freeForm, id, optional, resource, text } from './fields.ts';

export const ChatappReadiness = resource('ChatappReadiness', {
  channelId: id('channel'),
  projectId: id('project'),
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      id: text(1, 64),
      label: text(1, 256),
      ok: Type.Boolean(),
      reason: optional(text(1, 512)),
    }),
  ),
});
export type ChatappReadiness = Static<typeof ChatappReadiness>;

export const ChatappTemplate = resource('ChatappTemplate', {
  id: text(1, 128),
  name: text(1, 512),
  language: text(1, 32),
  category: optional(text(1, 128)),
  status: optional(text(1, 128)),
  components: Type.Array(freeForm(), { default: [] }),
});
export type ChatappTemplate = Static<typeof ChatappTemplate>;
