/** Passwords of at least twelve characters that are tried first, folded and without digits and symbols at their end. */
export const COMMON_PASSWORDS: ReadonlySet<string> = new Set(
  `
  abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcabcabcabc aaaaaaaaaaaa administrator
  adminadmin adminadminadmin changemechangeme changemenow changeme baseballfootball computercomputer
  correcthorsebatterystaple correct horse battery staple defaultpassword dragondragon enteryourpassword football
  footballfootball givemeaccess hellohellohello iloveyouiloveyou iloveyou iloveyousomuch iloveyouforever immigration
  jesuschrist leicestercity letmeinletmein letmein letmeinplease liverpoolfc liverpool manchesterunited
  manchester mypasswordis mypassword mypasswordispassword newpassword newpasswordnew nopassword
  passwordpassword password passwordpasswordpassword passwortpasswort passwort passw0rdpassw0rd passw0rd
  pass@word p@ssw0rd p@ssword p@ssw0rdp@ssw0rd princessprincess qazwsxedcrfv qazwsxedc qwerty qwertyqwerty qwertyuiop
  qwertyuiopas qwertyuiopasdf qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertzuiopas qwertzuiop azertyuiopqs
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t 1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3 q1w2e3r4t5y6
  secretsecret secretpassword supersecret supersecretpassword starwarsstarwars starwars summer winter spring autumn
  sunshinesunshine sunshine superman supermansuperman testtesttest testpassword temporary temporarypassword
  thisismypassword thisisapassword trustnoone trustno welcome welcomewelcome welcometo whatever whateverwhatever
  zxcvbnmasdfg zxcvbnmasdfghjkl caseport caseportcaseport caseportadmin
  `
    .split(/\s+/)
    .filter(Boolean),
)
