import classes from './shell.module.css'

export function Logo() {
  return (
    <span className={classes.logo}>
      <svg viewBox="0 0 32 32" width="24" height="24" aria-hidden="true">
        <rect width="32" height="32" rx="7" fill="#2355c4" />
        <path
          d="M7 10l4.5 13L16 12l4.5 11L25 10"
          fill="none"
          stroke="#fff"
          strokeWidth="3"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
      <span className={classes.logoName}>Walle</span>
    </span>
  )
}
