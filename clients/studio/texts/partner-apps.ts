/** Texts of partner apps. They come with their page. */
import { partnerApps as english } from './en/partner-apps.ts';
import { chooseLate } from './late.ts';

export const texts = await chooseLate(
  english,
  async () => (await import('./de/partner-apps.ts')).partnerApps,
);
