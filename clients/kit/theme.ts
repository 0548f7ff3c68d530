import {
  createTheme,
  defaultVariantColorsResolver,
  type CSSVariablesResolver,
  type MantineColorsTuple,
} from '@mantine/core';

const indigo: MantineColorsTuple = [
  '#eef1ff',
  '#dbe0fb',
  '#b4bef0',
  '#8b9ae6',
  '#687bdd',
  '#5268d8',
  '#465ed6',
  '#374ebe',
  '#2f45ab',
  '#253b97',
];

export const theme = createTheme({
  primaryColor: 'brand',
  colors: {
    brand: indigo,
    dark: [
      '#d5d8de',
      '#b3b8c2',
      '#9aa1ae',
      '#6d7585',
      '#3b4252',
      '#2c323e',
      '#20252e',
      '#191d25',
      '#13161c',
      '#0d0f14',
    ],
  },
  black: '#16181d',
  variantColorResolver: input => {
    const colors = defaultVariantColorsResolver(input);
    // On its own tint, Mantine's text misses 4.5:1 for half of the colours: a paler tint and darker text do not.
    const text = `light-dark(color-mix(in srgb, ${colors.color} 72%, black), ${colors.color})`;
    if (input.variant === 'outline' || input.variant === 'subtle') return { ...colors, color: text };
    if (input.variant !== 'light') return colors;
    return {
      ...colors,
      color: text,
      background: `color-mix(in srgb, ${colors.background} 60%, var(--mantine-color-body))`,
    };
  },
  primaryShade: { light: 6, dark: 5 },
  autoContrast: true,
  defaultRadius: 'sm',
  cursorType: 'pointer',
  focusRing: 'auto',
  fontFamily: "'Inter Variable', system-ui, sans-serif",
  fontFamilyMonospace: "'JetBrains Mono Variable', ui-monospace, monospace",
  fontSizes: { xs: '0.6875rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.125rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  // Defaults by name: naming the components themselves would load them all.
  components: {
    Button: { defaultProps: { size: 'xs' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 'md' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    Table: {
      defaultProps: { verticalSpacing: 6, horizontalSpacing: 'sm', highlightOnHover: true },
    },
    Badge: {
      defaultProps: { variant: 'light', size: 'sm', radius: 'sm', tt: 'none', fw: 500 },
    },
    Tooltip: { defaultProps: { openDelay: 400, withArrow: true } },
    // Something in a menu that is no choice of it; without it the first choice has the focus.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Modal: {
      defaultProps: {
        centered: true,
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontWeight: 600 } },
    },
    Drawer: {
      defaultProps: {
        position: 'right',
        size: 'lg',
        closeButtonProps: { 'aria-label': 'Close' },
        attributes: { header: { role: 'presentation' } },
      },
      styles: { title: { fontWeight: 600 } },
    },
  },
});

/** Mantine's secondary text has 3.3:1 on white and 4.0:1 on dark; ours 4.5:1 and more. */
export const resolveVariables: CSSVariablesResolver = theme => ({
  variables: {},
  light: {
    '--mantine-color-dimmed': theme.colors.gray[7],
    '--mantine-color-placeholder': theme.colors.gray[6],
    '--mantine-color-error': theme.colors.red[8],
  },
  dark: {
    '--mantine-color-dimmed': '#9aa1ae',
    '--mantine-color-body': theme.colors.dark[8],
    '--mantine-color-error': theme.colors.red[4],
  },
});
