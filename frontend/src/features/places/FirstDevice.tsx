import { CommandSteps } from '@/components/CommandSteps'
import { Panel } from '@/components/Page'
import { emulateCommand } from '@/lib/commands'

/** The next step of an app that no device can join yet. */
export function FirstDevice({ app }: { app: string }) {
  return (
    <Panel title="Next: let devices come">
      <CommandSteps
        steps={[
          { title: 'Create an app key below, and put it into the app as it is built: devices enrol with it.' },
          {
            title: 'Or try it with emulated devices, and the key in place of KEY',
            command: emulateCommand(location.origin, app),
            label: 'emulate devices',
          },
          {
            title: 'Declare the versions of the app that you ship, so that releases can be for them',
            command: `walle api POST /apps/${app}/versions -f version=1.0.0`,
            label: 'declare a version',
          },
        ]}
      />
    </Panel>
  )
}
