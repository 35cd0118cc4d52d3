"""What must not be remembered, told by its form: secrets, numbers of cards and accounts, health."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from plugins.ai.memory.fact import folded

SECRET: Final = re.compile(
    r"\b(?:password|passwd|passphrase|passcode|pass ?word|pin(?: code| number)?|cvv|cvc|otp"
    r"|api ?key|secret key|private key|access token|bearer|seed phrase|recovery (?:code|phrase)"
    r"|security code|login code|verification code|contrasena|clave(?: de acceso| secreta)?"
    r"|codigo (?:de seguridad|de verificacion|secreto)|numero secreto|frase semilla"
    r"|senha|palavra passe|codigo de (?:seguranca|verificacao)|chave (?:secreta|privada|de api))\b"
    r"|密码|口令|验证码|私钥|助记词|安全码"
)
"""Words that name a secret, folded; Spanish ``clave`` also means key, and is better left out."""

KEYS: Final = re.compile(
    r"\b(?:sk|pk|rk|ghp|gho|xox[abp]|glpat|AKIA|AIza)[-_]?[A-Za-z0-9_-]{16,}"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY|\beyJ[\w-]{10,}\.[\w-]{10,}",
    re.IGNORECASE,
)
ACCOUNT: Final = re.compile(
    r"\b(?:account|routing|sort code|iban|bank|card|credit|debit|cuenta|banco|tarjeta|conta|cartao"
    r"|agencia|wallet|cartera)\b|账号|账户|银行|信用卡|卡号"
)
GOVERNMENT: Final = re.compile(
    r"\b(?:passport|social security|ssn|national id|identity card|tax id|driver s? ?licen[cs]e"
    r"|drivers? licen[cs]e|dni|nie|nif|curp|rfc|pasaporte|seguridad social|cedula"
    r"|carnet de (?:identidad|conducir)|documento de identidad|cpf|cnpj|rg|passaporte|carteira de"
    r"(?: identidade| motorista)|titulo de eleitor)\b|身份证|护照|社保|驾照"
)
HEALTH: Final = re.compile(
    r"\b(?:diagnos\w*|diabet\w*|cancer\w*|tumou?r\w*|hiv|aids|sida|vih|hepatitis|hepatite|depress"
    r"\w*|depresi\w*|anxiety|ansiedad\w*|ansiedade|bipolar\w*|schizo\w*|esquizo\w*|autis\w*|adhd"
    r"|tdah|epilep\w*|asthma\w*|asma\w*|allerg\w*|alergi\w*|celiac\w*|coeliac\w*|celiac[oa]"
    r"|pregnan\w*|embaraz\w*|gravid\w*|miscarr\w*|abort\w*|medication\w*|medicacion|medicament\w*"
    r"|prescri\w* (?:for|drug|med)\w*|insulin\w*|chemo\w*|quimio\w*|surger\w*|cirugia|cirurgia"
    r"|disab\w*|discapaci\w*|deficien\w*|disease\w*|enfermedad\w*|doenca\w*|illness\w*|disorder"
    r"|trastorno\w*|transtorno\w*|symptom\w*|sintoma\w*|therapist|therapy|psychiatr\w*|psiquiatr\w*"
    r"|blood (?:type|pressure)|tension arterial|pressao arterial|hypertens\w*|hipertens\w*"
    r"|alcoholic|alcoholism\w*|addict(?:ed|ion)\w*|adict[oa]|adicc\w*|heart attack|infarto|stroke"
    r"|migraine\w*|migrana\w*|enxaqueca\w*|arthrit\w*|artrit\w*|dementia|demencia|alzheimer)\b"
    r"|确诊|糖尿病|癌|肿瘤|艾滋|抑郁|焦虑症|过敏|怀孕|流产|药物|服药|手术|残疾|疾病|高血压|哮喘|癫痫"
)
DIGITS: Final = re.compile(r"(?<![\w.])\d(?:[ .\-/]?\d){6,}(?![\w])")
SSN: Final = re.compile(r"(?<!\d)\d{3}[- ]\d{2}[- ]\d{4}(?!\d)")
DNI: Final = re.compile(
    r"\b([XYZ]|\d)[ .-]?(\d{1,2}[. -]?\d{3}[. -]?\d{3})[ .-]?([A-Z])\b", re.IGNORECASE
)
IBAN: Final = re.compile(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{2,4}){3,8}\b", re.IGNORECASE)
CURP: Final = re.compile(r"\b[A-Z]{4}\d{6}[HM][A-Z]{5}[A-Z0-9]\d\b", re.IGNORECASE)
CHINESE_ID: Final = re.compile(r"(?<!\d)\d{17}[\dXx](?!\w)")
LETTERS: Final = "TRWAGMYFPDXBNJZSQVHLCKE"
"""The check letters of Spanish DNI and NIE (BOE, Orden INT/2058/2008): the number modulo 23."""

CARD: Final = range(13, 20)
CPF: Final = 11
IBAN_LENGTH: Final = range(15, 35)
CHINESE_WEIGHTS: Final = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def is_secret(text: str) -> bool:
    """Tell whether a text holds a password, a card's, an account's or a government's number."""
    return any(check(text) for check in CHECKS)


def is_health(text: str) -> bool:
    """Tell whether a text speaks of somebody's health."""
    return HEALTH.search(folded(text)) is not None


def _names_secret(text: str) -> bool:
    return SECRET.search(folded(text)) is not None or KEYS.search(text) is not None


def _card(text: str) -> bool:
    return any(len(number) in CARD and _luhn(number) for number in _numbers(text))


def _account(text: str) -> bool:
    named = ACCOUNT.search(folded(text)) is not None
    return (named and any(_numbers(text))) or any(map(_iban, IBAN.findall(text)))


def _government(text: str) -> bool:
    bare = folded(text)
    if GOVERNMENT.search(bare) and re.search(r"\d{3}", re.sub(r"[ .\-/]", "", bare)):
        return True
    if SSN.search(text) or CURP.search(text) or any(map(_cpf, _numbers(text))):
        return True
    chinese = any(map(_chinese, CHINESE_ID.findall(text)))
    return chinese or any(_dni(*found) for found in DNI.findall(text))


CHECKS: Final[Sequence[Callable[[str], bool]]] = (_names_secret, _card, _account, _government)


def _numbers(text: str) -> Iterator[str]:
    for found in DIGITS.findall(text):
        yield re.sub(r"\D", "", found)


def _luhn(number: str) -> bool:
    """Tell whether a number's last digit is its check digit (ISO/IEC 7812-1)."""
    doubled = [int(digit) * (1 + place % 2) for place, digit in enumerate(reversed(number))]
    return sum(value - 9 * (value > 9) for value in doubled) % 10 == 0  # noqa: PLR2004


def _iban(text: str) -> bool:
    """Tell whether a text is an IBAN (ISO 13616: letters as numbers, modulo 97)."""
    bare = text.replace(" ", "").upper()
    moved = "".join(str(int(char, 36)) for char in bare[4:] + bare[:4])
    return len(bare) in IBAN_LENGTH and int(moved) % 97 == 1


def _dni(first: str, digits: str, letter: str) -> bool:
    bare = re.sub(r"\D", "", digits)
    lead = {"X": "0", "Y": "1", "Z": "2"}.get(first.upper(), first)
    return len(bare) in {7, 8} and LETTERS[int(lead + bare) % 23] == letter.upper()


def _cpf(number: str) -> bool:
    """Tell whether a number is a Brazilian CPF, whose last two digits check the others."""
    if len(number) != CPF or len(set(number)) == 1:
        return False
    digits = [int(digit) for digit in number]
    return all(
        sum(digit * (length + 1 - place) for place, digit in enumerate(digits[:length]))
        * 10
        % 11
        % 10
        == digits[length]
        for length in (9, 10)
    )


def _chinese(number: str) -> bool:
    """Tell whether a number is a Chinese identity number (GB 11643: ISO 7064 modulo 11-2)."""
    total = sum(int(digit) * weight for digit, weight in zip(number, CHINESE_WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[-1].upper()
