/** Texts of the price table. They come with it. */
import { prices as english } from './en/prices.ts';
import { chooseLate } from './late.ts';

export const texts = await chooseLate(english, async () => (await import('./de/prices.ts')).prices);
