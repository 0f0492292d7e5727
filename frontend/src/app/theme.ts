/** Mantine, dressed in the tokens of tokens.css. */
import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core'

const blue: MantineColorsTuple = [
  '#eef3fd', '#dbe5fa', '#b4c8f3', '#8aa9ec', '#6690e6', '#3f70d8', '#2355c4', '#1d48a8', '#183c8d', '#122f70',
] // prettier-ignore
const red: MantineColorsTuple = [
  '#fdeef1', '#f9d9e0', '#efb0bf', '#e4849b', '#d85a7a', '#b93056', '#8f1230', '#7c0f29', '#680c22', '#54091b',
] // prettier-ignore
// Mantine takes its surfaces and borders from these two.
// prettier-ignore
const gray: MantineColorsTuple = [
  '#f7f8fa', '#eef1f5', '#dfe2e6', '#c5cad1', '#868e99', '#7a828d', '#57606a', '#444c56', '#2d333b', '#1b2028',
]
// prettier-ignore
const dark: MantineColorsTuple = [
  '#e6e9ee', '#c9d0d9', '#a3adba', '#868f9c', '#6b7583', '#1f2630', '#171c23', '#0f1318', '#0b0e12', '#07090c',
]

export const theme = createTheme({
  fontFamily: "'Inter', system-ui, sans-serif",
  fontFamilyMonospace: 'var(--mono)',
  fontSizes: { xs: '11px', sm: '12px', md: '13px', lg: '14px', xl: '16px' },
  lineHeights: { xs: '1.4', sm: '1.4', md: '1.45', lg: '1.5', xl: '1.5' },
  headings: {
    fontWeight: '600',
    sizes: {
      h1: { fontSize: '20px', lineHeight: '28px' },
      h2: { fontSize: '16px', lineHeight: '24px' },
      h3: { fontSize: '14px', lineHeight: '20px' },
      h4: { fontSize: '13px', lineHeight: '20px' },
    },
  },
  spacing: { xs: '4px', sm: '8px', md: '12px', lg: '16px', xl: '24px' },
  radius: { xs: '2px', sm: '4px', md: '4px', lg: '4px', xl: '4px' },
  defaultRadius: 'sm',
  colors: { blue, red, gray, dark },
  primaryColor: 'blue',
  primaryShade: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Button: { defaultProps: { size: 'sm' } },
    TextInput: { defaultProps: { size: 'sm' } },
    PasswordInput: { defaultProps: { size: 'sm' } },
    NumberInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
    MultiSelect: { defaultProps: { size: 'sm' } },
    Textarea: { defaultProps: { size: 'sm' } },
    Modal: {
      defaultProps: {
        centered: true,
        transitionProps: { duration: 120 },
        closeButtonProps: { 'aria-label': 'Close' },
        // The banner of the page is the shell's.
        attributes: { header: { role: 'presentation' } },
      },
    },
    Tooltip: { defaultProps: { openDelay: 250, withinPortal: true } },
  },
})

/** Maps Mantine's own colours to ours. */
export const cssVariables: CSSVariablesResolver = () => {
  const colors = {
    '--mantine-color-body': 'var(--bg)',
    '--mantine-color-text': 'var(--text)',
    '--mantine-color-bright': 'var(--text)',
    '--mantine-color-dimmed': 'var(--muted)',
    '--mantine-color-placeholder': 'var(--muted)',
    '--mantine-color-anchor': 'var(--running)',
    '--mantine-color-error': 'var(--bad)',
    '--mantine-color-default': 'var(--bg)',
    '--mantine-color-default-hover': 'var(--hover)',
    '--mantine-color-default-color': 'var(--text)',
    '--mantine-color-default-border': 'var(--control-border)',
    '--mantine-color-disabled': 'var(--surface)',
    '--mantine-color-disabled-color': 'var(--muted)',
    '--mantine-color-disabled-border': 'var(--line)',
  }
  return { variables: {}, light: colors, dark: colors }
}
