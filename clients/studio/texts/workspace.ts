/** Texts of workspaces and their projects. They come with their page. */
import { workspace as english } from './en/workspace.ts';
import { chooseLate } from './late.ts';

export const texts = await chooseLate(english, async () => (await import('./de/workspace.ts')).workspace);
