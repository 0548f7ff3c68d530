/** Das eigene Konto. */
import type { StudioTexts } from '../en/index.ts';

export const account: StudioTexts['account'] = {
  title: 'Ihr Konto',
  name: 'Name',
  email: 'E-Mail',
  confirmed: 'Adresse',
  isConfirmed: 'Bestätigt',
  isNotConfirmed: 'Noch nicht bestätigt',
};
