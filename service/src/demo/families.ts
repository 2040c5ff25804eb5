// Sixty fictional families, and a second record of one person. Names are common ones; numbers and addresses are made up.
import { dayOf } from './days.ts'

interface Family {
  lastName: string
  nationality: string
  firstName: string
  gender: string
  spouse: string
  children: string[]
}

/** Last name, nationality, first name, gender, spouse, children. */
const FAMILIES: Family[] = `
Okafor,NG,Adaeze,F,Chidi,Nnamdi Amara
Schmidt,DE,Jonas,M,Lena,Emil
Nakamura,JP,Haruka,F,,
García,ES,Lucía,F,Pablo,Inés Mateo
Dubois,FR,Étienne,M,Camille,Théo
Rossi,IT,Giulia,F,,
Wójcik,PL,Łukasz,M,Zofia,Hanna
Patel,IN,Arjun,M,Priya,Anaya Rohan
Johansson,SE,Astrid,F,Erik,
Silva,BR,Thiago,M,Beatriz,Davi
Novák,CZ,Tereza,F,,
Haddad,LB,Omar,M,Layla,Karim Yara
Chen,CN,Mei,F,Wei,Jun
Murphy,IE,Niamh,F,Conor,
Yılmaz,TR,Deniz,M,Elif,Defne Kerem
Petrov,BG,Ivan,M,,
Kim,KR,Jiwoo,F,Minho,Seoyeon
Müller,CH,Franziska,F,Paul,
Fernández,MX,Mateo,M,Carmen,Sofía Diego
O’Brien,IE,Saoirse,F,Aidan,
Nguyễn,VN,Minh,M,Lan,An
Kovács,HU,Eszter,F,,
Mensah,GH,Kwame,M,Abena,Kofi Esi
Larsen,DK,Mikkel,M,Freja,Alma
Papadopoulos,GR,Eleni,F,,
Ivanova,UA,Oksana,F,Taras,Marko
Tanaka,JP,Ren,M,Yui,Sora
Mbeki,ZA,Thandiwe,F,,
Hernández,CO,Valentina,F,Andrés,Luciana
van der Berg,NL,Sanne,F,Daan,Fenna Bram
Al-Farsi,OM,Salim,M,Maryam,Zayd
Singh,IN,Harpreet,M,Simran,Jasleen
Costa,PT,Inês,F,,
Lindqvist,SE,Nils,M,Maja,Ebba
Park,KR,Hyunwoo,M,,
Abebe,ET,Selam,F,Dawit,Liya
Popescu,RO,Andrei,M,Ioana,Matei
Virtanen,FI,Aino,F,Eero,
Santos,PH,Maria,F,Jose,Gabriel Angela
Cohen,IL,Noa,F,Eitan,Lior
Horvat,HR,Ivana,F,,
Khan,PK,Bilal,M,Ayesha,Zara
Ó Súilleabháin,IE,Cillian,M,Aoife,
Moreau,BE,Louis,M,Chloé,Jules
Rahman,BD,Nusrat,F,Tanvir,Ayaan
Bianchi,IT,Matteo,M,,
Castillo,PE,Renata,F,Álvaro,Emilia
Đorđević,RS,Milica,F,Stefan,Luka
Suzuki,JP,Aoi,F,,
Hansen,NO,Ingrid,F,Lars,Olav
Adeyemi,NG,Tunde,M,Folake,Ife
Weber,AT,Clemens,M,,
Zhang,CN,Yichen,M,Xinyi,Lele
Ramos,AR,Julieta,F,Bruno,Milo
Jónsdóttir,IS,Katrín,F,,
Kariuki,KE,Wanjiru,F,Mwangi,Njeri
Wong,SG,Jia Hui,F,Marcus,Chloe
Benali,MA,Youssef,M,Salma,Adam
Taylor,NZ,Olivia,F,,
Fischer,DE,Malte,M,Svea,Ida`
  .trim()
  .split('\n')
  .map(line => {
    const [lastName = '', nationality = '', firstName = '', gender = '', spouse = '', children = ''] =
      line.split(',')
    return { lastName, nationality, firstName, gender, spouse, children: children.split(' ').filter(Boolean) }
  })

export const PEOPLE = FAMILIES.length

const TITLES = [
  'Software Engineer',
  'Research Scientist',
  'Finance Manager',
  'Head of Operations',
  'Product Designer',
  'Field Engineer',
  'Marine Surveyor',
]
const CITIES = [
  { addressCity: 'Berlin', addressCountry: 'DE' },
  { addressCity: 'London', addressCountry: 'GB' },
  { addressCity: 'Lyon', addressCountry: 'FR' },
]

const pick = <T>(list: readonly T[], index: number): T => list[index % list.length] as T
const twoDigits = (value: number) => String(value).padStart(2, '0')
export const numberOf = (index: number) => `D-${1001 + index}`

/** A family with passports and documents, whose expiry dates lie around today. */
export function familyOf(index: number, { today, company }: { today: Date; company: string }) {
  const { lastName, nationality, firstName, gender, spouse, children } = pick(FAMILIES, index)
  const employeeNumber = numberOf(index)
  const day = (offset: number) => dayOf(today, offset)
  const passport = (number: number, expiresIn: number) => ({
    passportNumber: `${nationality}${number}`,
    country: nationality,
    nationality,
    issuedBy: nationality,
    issueDate: day(expiresIn - 3650),
    expiryDate: day(expiresIn),
  })
  const birthDay = `${twoDigits(1 + (index % 12))}-${twoDigits(3 + (index % 25))}`
  return {
    primaryApplicant: {
      employeeNumber,
      firstName,
      lastName,
      email: `${employeeNumber.toLowerCase()}@example.com`,
      telephone: `+49 30 5550${100 + index}`,
      gender,
      maritalStatus: spouse ? 'M' : 'S',
      dateOfBirth: `${1966 + ((index * 7) % 32)}-${birthDay}`,
      countryOfBirth: nationality,
      nationality,
      jobTitle: pick(TITLES, index),
      sendingCompany: company,
      hireDate: `${2015 + (index % 10)}-02-01`,
      ...pick(CITIES, index),
      metaData: [{ tagName: 'costCenter', value: String(4700 + (index % 7)) }],
      // Every ninth passport expires soon, or has expired; the others are good for years.
      passports: [passport(7_100_000 + index * 731, index % 9 === 0 ? index * 2 - 12 : 300 + index * 41)],
      documents: [
        {
          name: 'Residence permit',
          referenceNumber: `RP-${5000 + index}`,
          country: pick(['DE', 'GB', 'FR'], index),
          issueDate: day(index * 8 - 30 - 730),
          expiryDate: day(index * 8 - 30),
          remindAboutRenewal: index % 2 === 0,
          expiryReminder: 0,
        },
      ],
    },
    dependents: [
      ...(spouse
        ? [
            {
              firstName: spouse,
              lastName,
              relationship: 'Spouse',
              nationality,
              employeeNumber: `${employeeNumber}-D1`,
              dateOfBirth: `${1968 + ((index * 5) % 30)}-${birthDay}`,
              passports: [passport(8_200_000 + index * 517, 90 + index * 37)],
            },
          ]
        : []),
      ...children.map((child, order) => ({
        firstName: child,
        lastName,
        relationship: 'Child',
        nationality,
        dateOfBirth: `${2010 + ((index + order * 3) % 13)}-${birthDay}`,
      })),
    ],
  }
}

/** The person who has a duplicate record, entered by another system: without accents, under another number. */
const ENTERED_TWICE = 6

export function duplicateOf(today: Date, company: string) {
  const { primaryApplicant } = familyOf(ENTERED_TWICE, { today, company })
  const { dateOfBirth, nationality, passports, gender } = primaryApplicant
  return {
    primaryApplicant: {
      employeeNumber: 'X-2077',
      firstName: 'Lukasz',
      lastName: 'Wojcik',
      email: 'lukasz.wojcik@example.com',
      dateOfBirth,
      nationality,
      gender,
      sendingCompany: company,
      passports,
    },
    dependents: [],
  }
}

/** The nightly file of a personnel system that lost a column: everyone is in it, and no one has a telephone number. */
export function badExport(today: Date, companyOf: (index: number) => string): string {
  const lines = Array.from({ length: PEOPLE }, (_, index) => {
    const { primaryApplicant, dependents } = familyOf(index, { today, company: companyOf(index) })
    const { telephone, ...known } = primaryApplicant
    return JSON.stringify({ primaryApplicant: known, dependents })
  })
  return lines.join('\n')
}
