import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core'

const harbor: MantineColorsTuple = [
  '#eaf6f7',
  '#d5eaec',
  '#abd5d8',
  '#7ec0c5',
  '#5cafb5',
  '#45a4ab',
  '#379ea6',
  '#268a92',
  '#1b6a70',
  '#0f5359',
]

export const theme = createTheme({
  colors: { harbor },
  primaryColor: 'harbor',
  // Lighter shades have too little contrast with white text.
  primaryShade: { light: 8, dark: 8 },
  autoContrast: true,
  defaultRadius: 'md',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif',
  fontSizes: { xs: '0.75rem', sm: '0.8125rem', md: '0.875rem', lg: '1rem', xl: '1.125rem' },
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.375rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.35' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.4' },
    },
  },
  cursorType: 'pointer',
  components: {
    Modal: { defaultProps: { centered: true, overlayProps: { backgroundOpacity: 0.4 } } },
    Tooltip: { defaultProps: { openDelay: 300, events: { hover: true, focus: true, touch: false } } },
    // The options of a closed select are not drawn.
    Combobox: { defaultProps: { keepMounted: false } },
    // Choosing the same option again does not clear the field: fields that may be empty are `clearable`.
    Select: { defaultProps: { allowDeselect: false } },
    Menu: { defaultProps: { shadow: 'md', position: 'bottom-end' } },
    Button: { defaultProps: { size: 'sm' } },
  },
})

/** Mantine's own dimmed and placeholder colours have too little contrast for WCAG AA. */
export const cssVariables: CSSVariablesResolver = ({ colors }) => ({
  variables: {},
  light: {
    '--mantine-color-body': '#fff',
    '--mantine-color-dimmed': colors.gray[7],
    '--mantine-color-placeholder': colors.gray[7],
    '--mantine-color-error': colors.red[9],
    '--page': '#f7f9f9',
    '--line': colors.gray[3],
    '--hover': '#f1f5f5',
    '--active': '#e2efef',
  },
  dark: {
    '--mantine-color-dimmed': colors.dark[1],
    '--mantine-color-placeholder': colors.dark[1],
    '--mantine-color-error': colors.red[4],
    '--mantine-color-anchor': colors['harbor']?.[3] ?? '',
    '--page': colors.dark[8],
    '--line': colors.dark[4],
    '--hover': colors.dark[6],
    '--active': '#21383a',
  },
})
