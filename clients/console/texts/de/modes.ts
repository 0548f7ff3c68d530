/** Die Modi der Agenten, in Listen und in Gesprächen. */
import type { agentModes as english } from '../en/modes.ts';

export const agentModes: typeof english = { auto: 'Auto', suggest: 'Vorschlag', paused: 'Pausiert' };
