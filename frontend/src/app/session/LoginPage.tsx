import { Button, PasswordInput, TextInput } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { ErrorNote } from '@/components/ErrorNote'
import { Logo } from '../shell/Logo'
import { logIn, type Session } from './session'
import classes from './session.module.css'

/** Logs a person in; the address stays, and with it the requested page. */
export default function LoginPage({
  ended = false,
  onEntered,
}: {
  ended?: boolean
  onEntered: (session: Session) => void
}) {
  const [username, setUsername] = useState('')
  const [password, setPassword] = useState('')
  const login = useMutation({ mutationFn: () => logIn(username, password), onSuccess: onEntered })
  return (
    <main className={classes.login}>
      <form
        className={classes.card}
        onSubmit={(event) => {
          event.preventDefault()
          login.mutate()
        }}
      >
        <Logo />
        <h1 className={classes.title}>{ended ? 'Your session has ended' : 'Log in'}</h1>
        {ended && <p className={classes.hint}>Log in to continue.</p>}
        <TextInput
          label="User name"
          name="username"
          autoComplete="username"
          autoFocus
          required
          withAsterisk={false}
          value={username}
          onChange={(event) => setUsername(event.currentTarget.value)}
        />
        <PasswordInput
          label="Password"
          name="password"
          autoComplete="current-password"
          required
          withAsterisk={false}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
        />
        {login.error && <ErrorNote error={login.error} />}
        <Button type="submit" fullWidth loading={login.isPending}>
          Log in
        </Button>
        <p className={classes.hint}>Site staff create accounts in the admin pages.</p>
      </form>
    </main>
  )
}
