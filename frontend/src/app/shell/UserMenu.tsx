import { Menu, UnstyledButton, useMantineColorScheme, type MantineColorScheme } from '@mantine/core'
import { Link } from '@tanstack/react-router'
import { CircleUser, Keyboard, LogOut, Monitor, Moon, Sun, type LucideIcon } from 'lucide-react'
import { refusedToast } from '@/components/toasts'
import { usePreferenceChange } from '@/hooks/usePreferences'
import { usePrefer, useUser } from '../session/SessionGate'
import { logOut } from '../session/session'
import classes from './shell.module.css'

const SCHEMES: { scheme: MantineColorScheme; label: string; icon: LucideIcon }[] = [
  { scheme: 'light', label: 'Light', icon: Sun },
  { scheme: 'dark', label: 'Dark', icon: Moon },
  { scheme: 'auto', label: 'System', icon: Monitor },
]

/** The user name, the account page, the colour scheme, the keyboard's shortcuts, and logging out. */
export function UserMenu({ onKeys }: { onKeys: () => void }) {
  const user = useUser()
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  const change = usePreferenceChange(usePrefer())
  const choose = (theme: MantineColorScheme) => {
    setColorScheme(theme)
    change.mutate(
      { theme },
      { onError: (error) => refusedToast('The appearance is not kept with your account', error) },
    )
  }
  return (
    <Menu position="right-end" width={200}>
      <Menu.Target>
        <UnstyledButton className={classes.place} aria-label={`${user.username}: account and appearance`}>
          <CircleUser size={16} aria-hidden="true" />
          <span className={classes.label}>{user.username}</span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item
          leftSection={<CircleUser size={14} aria-hidden="true" />}
          renderRoot={(props: object) => <Link to="/account" {...props} />}
        >
          Account
        </Menu.Item>
        <Menu.Divider />
        <Menu.Label>Appearance</Menu.Label>
        <Menu.RadioGroup value={colorScheme} onChange={(scheme) => choose(scheme as MantineColorScheme)}>
          {SCHEMES.map(({ scheme, label, icon: Icon }) => (
            <Menu.RadioItem key={scheme} value={scheme} rightSection={<Icon size={14} aria-hidden="true" />}>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        <Menu.Divider />
        <Menu.Item leftSection={<Keyboard size={14} aria-hidden="true" />} rightSection={<kbd>?</kbd>} onClick={onKeys}>
          Keyboard shortcuts
        </Menu.Item>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden="true" />} onClick={() => void logOut()}>
          Log out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
