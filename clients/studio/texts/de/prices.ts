/** Die Preistabelle. */
import type { PriceTexts } from '../en/prices.ts';

export const prices: PriceTexts = {
  title: 'Preise',
  about:
    'Nach diesen Preisen werden Läufe berechnet und Budgets eingehalten, in US-Dollar für eine Million Token. Die Liste kommt mit dem Server und ist für alle Projekte gleich: was Ihr Anbieter abrechnet, kann abweichen.',
  which: 'Welche Modelle',
  of: { used: 'In Gebrauch', all: 'Alle' },
  model: 'Modell',
  provider: 'Anbieter',
  anyProvider: 'Jeder Anbieter',
  input: 'Eingabe',
  output: 'Ausgabe',
  cacheRead: 'Eingabe aus dem Zwischenspeicher',
  cacheWrite: 'Eingabe in den Zwischenspeicher',
  long: (price, tokens) => `${price} über ${tokens} Token`,
  unknown:
    'Nicht auf der Liste: seine Läufe haben keine Kosten, und es verbraucht nie ein Budget. Schließen Sie es durch die Modellliste Ihres Schlüssels aus, oder wählen Sie ein anderes.',
  asOf: 'Stand',
  source: 'Quelle',
  none: 'Noch ist kein Modell in Gebrauch',
  noneHint:
    'Legen Sie Anweisungen mit einem Modell an: seine Preise erscheinen hier. „Alle“ zeigt, was Modelle kosten.',
  noneFound: 'Ein solches Modell steht nicht auf der Liste.',
};
