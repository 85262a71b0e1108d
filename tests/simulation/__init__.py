"""the engine run in this process and compared with an oracle, case by case"""
