/** The texts of the System page, in both languages: with the page, and not with the first one, which hardly anybody here needs more of. */
import { useLanguageTag } from '../../kit/texts/index.ts';
import { system as german } from '../texts/de/system.ts';
import { system as english, type SystemTexts } from '../texts/en/system.ts';

export const useSystemTexts = (): SystemTexts => (useLanguageTag() === 'de' ? german : english);
