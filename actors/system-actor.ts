import type { Actor } from '../protocol/resources/message.ts';

/** Who acts when nobody does, as events tell it (decisions section 7). */
export const system: Actor = { type: 'system', id: null };
