/** Commands to copy, shown in empty places; words in capitals are to be replaced. */

/** Returns the command that emulates devices of an app on this machine. */
export function emulateCommand(server: string, app = 'APP'): string {
  return `python -m walle.device.emulator --server ${server} --app ${app} --app-key KEY --store ./devices`
}

export function releaseCommand(app = 'APP', appVersion = 'APP_VERSION'): string {
  return `walle release create SCENARIO/TASK VERSION --app ${app} --app-version ${appVersion}`
}
