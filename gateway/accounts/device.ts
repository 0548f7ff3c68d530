/** What a user agent string says of its client, roughly: for people who look for a session that is not theirs. */

export interface Device {
  readonly browser: string | null;
  readonly system: string | null;
}

/** The first that fits: most browsers also name those that they descend from. */
const browsers: readonly (readonly [RegExp, string])[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPiOS|Opera)\b/, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome|Chromium)\//, 'Chrome'],
  [/\bVersion\/[\d.]+.*\bSafari\//, 'Safari'],
];

const systems: readonly (readonly [RegExp, string])[] = [
  [/\biPad\b/, 'iPadOS'],
  [/\b(?:iPhone|iPod)\b/, 'iOS'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\b(?:Macintosh|Mac OS X|macOS|darwin)\b/i, 'macOS'],
  [/\b(?:Linux|X11)\b/i, 'Linux'],
];

/** Programs that are no browsers begin with their own name. */
const product = /^(?!Mozilla\/)([\w.-]{1,40})(?:\/|$|\s)/;

export function describeDevice(userAgent: string | null): Device {
  if (userAgent === null) return { browser: null, system: null };
  return {
    browser: find(browsers, userAgent) ?? product.exec(userAgent)?.[1] ?? null,
    system: find(systems, userAgent) ?? null,
  };
}

function find(known: readonly (readonly [RegExp, string])[], text: string): string | undefined {
  return known.find(([pattern]) => pattern.test(text))?.[1];
}
