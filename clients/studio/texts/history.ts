/** Texts of what became of a channel. They come with the part that shows it. */
import { history as english } from './en/history.ts';
import { chooseLate } from './late.ts';

export const texts = await chooseLate(english, async () => (await import('./de/history.ts')).history);
