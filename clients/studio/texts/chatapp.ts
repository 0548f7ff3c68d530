/** Texts of channels of the chat provider. They come with the part that shows them. */
import { chatapp as english } from './en/chatapp.ts';
import { chooseLate } from './late.ts';

export const texts = await chooseLate(english, async () => (await import('./de/chatapp.ts')).chatapp);
